"""A StatefulSet that is over frees its pods: scaled to 0, with a note of how it ended."""

from __future__ import annotations

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.resource import WORKLOADS
from rallypoint.cluster.state import ENDED
from rallypoint.cluster.view import JobView

MANAGER = "rallypoint-end"
"""Another field manager than apply's: a later apply neither drops the note nor owns the replicas."""
LONGEST_NOTE = 1000


def retire(cluster: Cluster, view: JobView) -> bool:
    """Whether the job's pods were freed just now; only a StatefulSet holds them beyond its end."""
    if view.kind != "statefulset" or not view.state.over or not view.workload["spec"].get("replicas"):
        return False
    note = view.state.name + (f": {view.state.why[:LONGEST_NOTE]}" if view.state.name == "failed" else "")
    patch = {"metadata": {"annotations": {ENDED: note}}, "spec": {"replicas": 0}}
    cluster.merge(WORKLOADS["statefulset"], view.name, view.namespace, patch, MANAGER)
    return True
