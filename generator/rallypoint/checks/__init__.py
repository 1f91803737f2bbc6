"""The rules that the objects of one job must keep, whoever wrote them.

Three callers: render (on its own output), the tests, and lint (on manifests that others wrote). A sound
manifest gives no finding: a false alarm is as bad as a miss.
"""

from rallypoint.checks.finding import Finding
from rallypoint.checks.pod_template import PodTemplate, pod_templates
from rallypoint.checks.rules import check

__all__ = ["Finding", "PodTemplate", "check", "pod_templates"]
