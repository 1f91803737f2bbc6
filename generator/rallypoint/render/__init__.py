"""From a job to the objects that `kubectl apply` takes, in apply order; the same job gives the same bytes.

Refuses to decide: the pod view has done so. Refuses to let out what the checks refuse.
"""

from rallypoint.podview import notices
from rallypoint.render.objects import render, to_yaml

__all__ = ["notices", "render", "to_yaml"]
