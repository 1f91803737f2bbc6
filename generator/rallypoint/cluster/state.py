"""The state of a job, from each kind's own status; for a StatefulSet, which never ends, from its pods.

Pure. Source: Kubernetes 1.34 batch/v1 JobStatus; JobSet 0.11, Trainer 2.2 and training-operator 1.9 status
conditions, each seen on a real cluster.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from rallypoint.cluster.pod import Pod, first_failed
from rallypoint.spec import KindName

Object = dict[str, Any]
StateName = Literal["queued", "suspended", "pending", "running", "succeeded", "failed", "deleting"]
OVER: frozenset[str] = frozenset({"succeeded", "failed"})

ENDED = "rallypoint.dev/ended"
"""Annotation of a StatefulSet that was scaled to 0 after its end: `succeeded`, or `failed: why`."""
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"

_DONE: dict[KindName, str] = {
    "job": "Complete",
    "jobset": "Completed",
    "trainjob": "Complete",
    "pytorchjob": "Succeeded",
}
"""The condition of a finished job; `Failed` is every kind's word for the other end."""
_IDLE = re.compile(
    r"this run (?:is done already \(|has failed already \([^)]*\): (?P<why>.*); take the marker)"
)
"""How a launcher begins that finds the marker of a run that is over."""


class State(NamedTuple):
    """How a job is, and why."""

    name: StateName
    why: str = ""

    def __str__(self) -> str:
        """`pending (node 1: unschedulable: ...)`, or the name alone."""
        return f"{self.name} ({self.why})" if self.why else self.name

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.name in OVER


def state(
    kind: KindName, workload: Object, nodes: int, pods: Sequence[Pod], idle: Sequence[str] = ()
) -> State:
    """The state; `pods` are the latest of each node, `idle` the log of a StatefulSet's node 0."""
    ended = _statefulset(workload, pods, idle) if kind == "statefulset" else _ended(kind, workload, pods)
    if ended is not None:
        return ended
    if "deletionTimestamp" in workload["metadata"]:
        return State("deleting")
    if _suspended(kind, workload):
        return _held(workload)
    return _underway(nodes, pods)


def node_count(kind: KindName, workload: Object, runtime: Object | None = None) -> int:
    """How many nodes the job has; `runtime` is a TrainJob's."""
    spec = workload.get("spec") or {}
    if kind == "job":
        return int(spec.get("completions") or 1)
    if kind == "jobset":
        return sum(
            int(one["template"]["spec"].get("completions") or 1) for one in spec.get("replicatedJobs") or []
        )
    if kind == "pytorchjob":
        replicas = spec.get("pytorchReplicaSpecs") or {}
        return sum(int(one.get("replicas", 1)) for one in replicas.values())
    if kind == "trainjob":
        policy = ((runtime or {}).get("spec") or {}).get("mlPolicy") or {}
        return int((spec.get("trainer") or {}).get("numNodes") or policy.get("numNodes") or 1)
    return int(spec.get("replicas", 1))


def _conditions(workload: Object) -> dict[str, Object]:
    """The conditions that hold."""
    found = (workload.get("status") or {}).get("conditions") or []
    return {one["type"]: one for one in found if one.get("status") == "True"}


def _ended(kind: KindName, workload: Object, pods: Sequence[Pod]) -> State | None:
    """The end that the kind's own conditions tell; None before it."""
    conditions = _conditions(workload)
    if _DONE[kind] in conditions:
        return State("succeeded")
    failed = conditions.get("Failed")
    return State("failed", failure(failed, pods)) if failed else None


def failure(condition: Object, pods: Sequence[Pod]) -> str:
    """Why it failed: the launcher's word if there is one, else the controller's."""
    reason, text = str(condition.get("reason") or ""), " ".join(str(condition.get("message") or "").split())
    if reason == "DeadlineExceeded":
        return f"the deadline passed ({text})"
    first = first_failed(pods)
    if first is not None and first.ended is not None:
        return _of_node(first, first.ended.message)
    return f"{reason}: {text}" if text else reason


def _of_node(pod: Pod, message: str) -> str:
    """The message, with the node unless it names one."""
    return message if "node " in message or pod.node is None else f"node {pod.node}: {message}"


def _statefulset(workload: Object, pods: Sequence[Pod], idle: Sequence[str]) -> State | None:
    """The end of a StatefulSet: the mark of its scaling down, a launcher's last word, or an idle node 0.

    A launcher ends with 0 only when all nodes are done, so one pod's word is enough.
    """
    note = str((workload["metadata"].get("annotations") or {}).get(ENDED) or "")
    if note and not (workload.get("spec") or {}).get("replicas"):
        word, _, why = note.partition(": ")
        return State("succeeded" if word == "succeeded" else "failed", why)
    said = [pod for pod in pods if pod.ended is not None and pod.ended.fields]
    if any(pod.ended and pod.ended.code == 0 for pod in said):
        return State("succeeded")
    failed = first_failed([pod for pod in said if pod.ended and pod.ended.code in (1, 2)])
    if failed is not None and failed.ended is not None:
        return State("failed", _of_node(failed, failed.ended.message))
    for line in idle:
        found = _IDLE.search(line)
        if found:
            return State("failed", found["why"]) if found["why"] else State("succeeded")
    return None


def _suspended(kind: KindName, workload: Object) -> bool:
    spec = workload.get("spec") or {}
    if kind == "statefulset":
        return spec.get("replicas") == 0
    return bool((spec.get("runPolicy") or {}).get("suspend") if kind == "pytorchjob" else spec.get("suspend"))


def _held(workload: Object) -> State:
    """Suspended: by its queue when it has one, else by hand."""
    queue = (workload["metadata"].get("labels") or {}).get(QUEUE_LABEL)
    if queue:
        return State("queued", f"waits in queue {queue}")
    if workload.get("kind") == "StatefulSet":
        return State("suspended", "scaled to 0")
    return State("suspended")


def _underway(nodes: int, pods: Sequence[Pod]) -> State:
    """Running when every node is; else pending, with the first reason that a pod gives."""
    at_work = [pod for pod in pods if pod.phase in ("running", "succeeded")]
    if len(at_work) >= nodes:
        return State("running")
    ending = first_failed([pod for pod in pods if pod.phase == "failed"])
    if ending is not None and ending.ended is not None and ending.ended.code in (1, 2):
        return State("running", f"about to fail: {_of_node(ending, ending.ended.message)}")
    reasons = [(pod, pod.why) for pod in pods if pod.why and pod.phase != "running"]
    if not reasons:
        return State("pending", f"{len(at_work)} of {nodes} pods run")
    pod, why = reasons[0]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return State("pending", f"node {'?' if pod.node is None else pod.node}: {why}{more}")
