"""The pod view: everything that is decided about a job on a cluster, as flat typed values.

Refuses to print: templates (and a Helm chart's) read the view and decide nothing more.
"""

from rallypoint.podview.build import view
from rallypoint.podview.claim import Claim
from rallypoint.podview.notice import notices
from rallypoint.podview.view import View

__all__ = ["Claim", "View", "notices", "view"]
