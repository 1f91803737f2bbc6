"""From job files to a checked job: reading, layering, --set, messages with the line.

Refuses to know Kubernetes objects, and to import torch, transformers or kubernetes.
"""

from rallypoint.loading.load import Loaded, load, require_cluster
from rallypoint.loading.values import values

__all__ = ["Loaded", "load", "require_cluster", "values"]
