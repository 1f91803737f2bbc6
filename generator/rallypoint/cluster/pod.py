"""One pod of a job: which node it is, how far it is, why it waits, and how it ended.

Pure: from the pod as the API server gives it. Source: Kubernetes docs 1.34, "Pod Lifecycle".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from rallypoint.told import told
from rallypoint.topology import CONTAINER_NAMES, NODE_INDEX_LABELS

Object = dict[str, Any]
Phase = Literal["pending", "starting", "running", "succeeded", "failed", "ending"]
_IMAGE = {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"}
_ORDINARY = {"ContainerCreating", "PodInitializing", ""}
AGAIN = 143
"""The launcher's exit code for: stopped for outside reasons, start me again."""


class Ended(NamedTuple):
    """How a training container ended."""

    code: int
    message: str
    fields: Object
    """The launcher's termination message; empty when it left none."""
    finished: str
    """RFC 3339."""


class Pod(NamedTuple):
    """One pod, in our words."""

    node: int | None
    """Node index; None before its label is there."""
    name: str
    phase: Phase
    why: str
    """Why it waits or how it ended; empty when there is nothing to say."""
    restarts: int
    machine: str
    created: str
    container: str
    """Name of the training container."""
    ended: Ended | None
    """Of the last container that ended, which may not be the present one."""
    uid: str


def pod_of(item: Object, events: Iterable[Object] = ()) -> Pod:
    """The pod; `events` are the warnings of its namespace."""
    metadata, status = item["metadata"], item.get("status") or {}
    training = _training(item)
    ended = _ended(training)
    phase = _phase(item, training)
    why = _why(item, training, phase, ended) or _event(metadata.get("uid", ""), phase, events)
    return Pod(
        node=node_index(item),
        name=metadata["name"],
        phase=phase,
        why=why,
        restarts=int(training.get("restartCount") or 0),
        machine=str((item.get("spec") or {}).get("nodeName") or ""),
        created=str(metadata.get("creationTimestamp") or status.get("startTime") or ""),
        container=_container_name(item),
        ended=ended,
        uid=str(metadata.get("uid", "")),
    )


def node_index(item: Object) -> int | None:
    """The node index that a controller has put on the pod."""
    labels = item["metadata"].get("labels") or {}
    found = [labels[label] for label in set(NODE_INDEX_LABELS.values()) if label in labels]
    return int(found[0]) if found and str(found[0]).isdigit() else None


def newest(pods: Iterable[Pod]) -> list[Pod]:
    """The latest pod of each node, by node; those that are on their way out only where there is no other."""
    latest: dict[int | None, Pod] = {}
    for pod in sorted(pods, key=lambda one: (one.phase != "ending", one.created)):
        latest[pod.node] = pod if pod.node is None else _after(latest.get(pod.node), pod)
    return sorted(latest.values(), key=lambda one: -1 if one.node is None else one.node)


def _after(before: Pod | None, pod: Pod) -> Pod:
    """The pod; one that runs and has nothing to say itself tells how the one before it failed."""
    if before is None or before.phase != "failed" or pod.phase != "running" or pod.why:
        return pod
    return pod._replace(why=f"in the place of {before.name}: {before.why}")


def first_failed(pods: Iterable[Pod]) -> Pod | None:
    """The pod that tells best why the job failed: one with the launcher's word, the earliest."""
    failed = [pod for pod in pods if pod.ended is not None and pod.ended.code not in (0, AGAIN)]
    return min(failed, key=lambda pod: (not pod.ended or not pod.ended.fields, _end(pod)), default=None)


def _end(pod: Pod) -> str:
    return pod.ended.finished if pod.ended else ""


def _container_name(item: Object) -> str:
    """The training container's name; a sidecar's would be another."""
    names = [one["name"] for one in (item.get("spec") or {}).get("containers") or []]
    known = [name for name in names if name in CONTAINER_NAMES.values()]
    return next(iter([*known, *names]), "")


def _training(item: Object) -> Object:
    """The status of the training container; empty while there is none."""
    name = _container_name(item)
    statuses = (item.get("status") or {}).get("containerStatuses") or []
    return next((one for one in statuses if one.get("name") == name), {})


def _phase(item: Object, training: Object) -> Phase:
    phase = (item.get("status") or {}).get("phase", "Pending")
    if phase in ("Succeeded", "Failed"):
        return "succeeded" if phase == "Succeeded" else "failed"
    if "deletionTimestamp" in item["metadata"]:
        return "ending"
    state = training.get("state") or {}
    if "running" in state:
        return "running"
    if "terminated" in state and (item.get("spec") or {}).get("restartPolicy") != "Always":
        return "succeeded" if state["terminated"].get("exitCode") == 0 else "failed"  # its phase follows
    return "starting" if (item.get("spec") or {}).get("nodeName") else "pending"


def _ended(training: Object) -> Ended | None:
    """The last end of the container, of the present or the previous instance."""
    both = [training.get("state") or {}, training.get("lastState") or {}]
    found = next((one["terminated"] for one in both if "terminated" in one), None)
    if found is None:
        return None
    code = int(found.get("exitCode", 1))
    fields = _fields(str(found.get("message") or ""))
    text = str(fields.get("message") or found.get("message") or "").strip()
    if found.get("reason") == "OOMKilled":
        text = text or "out of memory: the kernel killed it; raise resources.memory"
    if not text:
        text = f"exit code {code}" + (
            f" ({found['reason']})" if found.get("reason") not in (None, "Error") else ""
        )
    return Ended(code, text, fields, str(found.get("finishedAt") or ""))


def _fields(message: str) -> Object:
    """The launcher's termination message; empty when it is something else."""
    found = told(message)
    return found if "code" in found else {}


def _why(item: Object, training: Object, phase: Phase, ended: Ended | None) -> str:
    """What the pod itself says."""
    status = item.get("status") or {}
    conditions = {one["type"]: one for one in status.get("conditions") or []}
    disruption = conditions.get("DisruptionTarget") or {}
    if phase == "failed" and status.get("reason"):  # Evicted, DeadlineExceeded, NodeLost ...
        return f"{_words(status['reason'])}: {_line(status.get('message'))}".rstrip(": ")
    if phase in ("failed", "ending") and disruption.get("status") == "True":
        return f"evicted ({disruption.get('reason', '')}): {_line(disruption.get('message'))}"
    if phase == "failed":
        return ended.message if ended else "failed before the training container ran"
    again = f"again; before: {ended.message}" if ended is not None and ended.code != 0 else ""
    if phase in ("pending", "starting"):
        down = again and "terminated" in (training.get("state") or {})
        return _waiting(status, conditions, training) or (f"starts {again}" if down else "")
    return f"started {again}" if phase == "running" and again else ""


def _waiting(status: Object, conditions: dict[str, Object], training: Object) -> str:
    """Why a pod has not started: scheduling, its init containers, its image."""
    scheduled = conditions.get("PodScheduled") or {}
    if scheduled.get("status") == "False":
        if scheduled.get("reason") == "SchedulingGated":
            return "queued: held back by a scheduling gate"
        return f"{_words(scheduled.get('reason') or 'unschedulable')}: {_line(scheduled.get('message'))}"
    others = [
        *(status.get("initContainerStatuses") or []),
        training,
        *(status.get("containerStatuses") or []),
    ]
    for one in others:
        waiting = (one.get("state") or {}).get("waiting") or {}
        reason = str(waiting.get("reason") or "")
        if reason in _ORDINARY:
            continue
        text = _line(waiting.get("message"))
        if reason in _IMAGE:
            return f"image {one.get('image', '')}: cannot be pulled ({text or reason})"
        if reason == "CrashLoopBackOff":
            ended = _ended(one)
            return f"container {one.get('name')} fails again and again: {ended.message if ended else text}"
        return f"container {one.get('name')}: {reason}: {text}"
    return ""


def _event(uid: str, phase: Phase, events: Iterable[Object]) -> str:
    """The last warning about a pod that does not start, as FailedMount."""
    if phase not in ("pending", "starting"):
        return ""
    own = [event for event in events if (event.get("involvedObject") or {}).get("uid") == uid]
    last = max(own, key=_seen, default=None)
    return f"{last.get('reason')}: {_line(last.get('message'))}" if last else ""


def _seen(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _words(reason: str) -> str:
    """`Unschedulable` as `unschedulable`, `OutOfcpu` as it is."""
    return reason[0].lower() + reason[1:] if reason[1:].islower() else reason


def _line(text: object) -> str:
    """One line of at most 300 letters."""
    line = " ".join(str(text or "").split())
    return line if len(line) <= 300 else line[:297] + "..."
