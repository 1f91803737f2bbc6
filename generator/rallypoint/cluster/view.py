"""What can be seen of jobs in a cluster: workload, pods, queue, progress, put together.

Reads only. What may not be read (events, logs, a kind that RBAC keeps away) is left out, not an error, as
long as something can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.contract import count, living_contract
from rallypoint.cluster.errors import FORBIDDEN, Refusal
from rallypoint.cluster.namespace import require_namespace
from rallypoint.cluster.pod import Pod, newest, pod_of
from rallypoint.cluster.progress import Progress, progress
from rallypoint.cluster.resource import EVENT, POD, QUEUED, RUNTIME, WORKLOADS, Resource
from rallypoint.cluster.state import QUEUE_LABEL, State, node_count, state
from rallypoint.errors import InputError, RallypointError
from rallypoint.spec import KindName
from rallypoint.topology import OWNER_LABEL

Object = dict[str, Any]
ALL_KINDS: tuple[KindName, ...] = tuple(WORKLOADS)
LOG_LINES = "400"  # enough for the last event between other output


class JobView(NamedTuple):
    """One job, as it is now."""

    name: str
    namespace: str
    kind: KindName
    state: State
    nodes: int
    pods: list[Pod]
    """The latest of each node, by node."""
    queue: str
    created: str
    progress: Progress | None
    workload: Object


def jobs(
    cluster: Cluster, namespace: str | None, name: str | None = None, kinds: Sequence[KindName] = ALL_KINDS
) -> list[JobView]:
    """The jobs of a namespace (None: of all), or the one of that name; empty when there is none.

    Raises: RallypointError when no kind may be listed, or the cluster is out of reach.
    """
    selector = OWNER_LABEL if name is None else f"{OWNER_LABEL}={name}"
    found = _workloads(cluster, namespace, selector, kinds)
    if not found:
        return []
    pods = cluster.list(POD, namespace, labelSelector=selector)
    runtimes = _runtimes(cluster, namespace, selector, found)
    seen = [_seen(cluster, kind, workload, pods, runtimes) for kind, workload in found]
    return [_explained(cluster, namespace, view, pods) for view in seen]


def job(cluster: Cluster, namespace: str, name: str, kinds: Sequence[KindName] = ALL_KINDS) -> JobView:
    """The job of that name.

    Raises: InputError when there is none; MissingNamespace.
    """
    found = jobs(cluster, namespace, name, kinds)
    if not found:
        require_namespace(cluster, namespace)
        raise InputError(no_job(name, namespace))
    return found[0]


def no_job(name: str, namespace: str) -> str:
    """What to say when there is no job of that name."""
    return (
        f"{name}: there is no such job in namespace {namespace!r}; 'rallypoint status' lists the jobs of a "
        "namespace, -n names another"
    )


def _workloads(
    cluster: Cluster, namespace: str | None, selector: str, kinds: Iterable[KindName]
) -> list[tuple[KindName, Object]]:
    """Every workload with the owner label that is not another's part, in the order of their names."""
    found: list[tuple[KindName, Object]] = []
    refused: list[Refusal] = []
    for kind in kinds:
        try:
            items = cluster.list(WORKLOADS[kind], namespace, labelSelector=selector)
        except Refusal as error:
            if error.status != FORBIDDEN:
                raise
            refused.append(error)
            continue
        found += [(kind, item) for item in items if not item["metadata"].get("ownerReferences")]
    if not found and refused:
        raise refused[0]
    return sorted(found, key=lambda one: (one[1]["metadata"]["namespace"], one[1]["metadata"]["name"]))


def _runtimes(
    cluster: Cluster, namespace: str | None, selector: str, found: list[tuple[KindName, Object]]
) -> dict[tuple[str, str], Object]:
    """The TrainingRuntimes by namespace and name; asked for only when there is a TrainJob."""
    if all(kind != "trainjob" for kind, _ in found):
        return {}
    items = _optional(cluster, RUNTIME, namespace, labelSelector=selector)
    return {(item["metadata"]["namespace"], item["metadata"]["name"]): item for item in items}


def _optional(cluster: Cluster, resource: Resource, namespace: str | None, **query: str) -> list[Object]:
    """The objects; none when they may not be read."""
    try:
        return cluster.list(resource, namespace, **query)
    except Refusal as error:
        if error.status != FORBIDDEN:
            raise
        return []


def _seen(
    cluster: Cluster, kind: KindName, workload: Object, pods: list[Object],
    runtimes: dict[tuple[str, str], Object],
) -> JobView:  # fmt: skip
    """The job without what needs another look."""
    metadata = workload["metadata"]
    name, namespace = metadata["name"], metadata["namespace"]
    own = newest(pod_of(item) for item in pods if _of(item, name, namespace))
    nodes = node_count(kind, workload, runtimes.get((namespace, name)))
    if nodes == 0:  # a StatefulSet that was scaled down
        nodes = count(living_contract(cluster, namespace, name), "nodes", 0)
    now = state(kind, workload, nodes, own)
    lines = _log(cluster, namespace, own) if now.name in ("running", "pending") or now.over else []
    if kind == "statefulset" and not now.over:
        now = state(kind, workload, nodes, own, lines)
    return JobView(
        name, namespace, kind, now, nodes, own, str((metadata.get("labels") or {}).get(QUEUE_LABEL) or ""),
        str(metadata.get("creationTimestamp") or ""), progress(lines), workload,
    )  # fmt: skip


def _of(item: Object, name: str, namespace: str) -> bool:
    metadata = item["metadata"]
    return metadata["namespace"] == namespace and (metadata.get("labels") or {}).get(OWNER_LABEL) == name


def _log(cluster: Cluster, namespace: str, pods: list[Pod]) -> list[str]:
    """The end of node 0's log; of the instance before, too, when it was started again in place."""
    first = next((pod for pod in pods if pod.node == 0), None)
    if first is None or first.phase not in ("running", "succeeded", "failed"):
        return []
    lines: list[str] = []
    for previous in ["true", "false"] if first.restarts else ["false"]:
        query = {"container": first.container, "tailLines": LOG_LINES, "previous": previous}
        try:
            lines += cluster.lines(POD, first.name, namespace, query)
        except RallypointError:
            continue  # it may not be read, or is not there any more: progress is a courtesy
    return lines


def _explained(cluster: Cluster, namespace: str | None, view: JobView, pods: list[Object]) -> JobView:
    """The job with the reason why it waits, where only events or the queue tell it."""
    if view.state.name == "queued":
        why = _queue_says(_optional(cluster, QUEUED, view.namespace), view.workload["metadata"].get("uid"))
        return view._replace(state=State("queued", f"{view.state.why}: {why}")) if why else view
    if view.state.name != "pending" or _told(view.pods):
        return view
    events = _optional(cluster, EVENT, view.namespace, fieldSelector="type=Warning")
    own = newest(pod_of(item, events) for item in pods if _of(item, view.name, view.namespace))
    now = state(view.kind, view.workload, view.nodes, own)
    if len(own) < view.nodes and not _told(own):
        why = cannot_create(view.name, events)
        now = State("pending", why) if why else now
    return view._replace(state=now, pods=own)


def _told(pods: Iterable[Pod]) -> bool:
    """Whether a pod says why it does not run."""
    return any(pod.why for pod in pods if pod.phase != "running")


def _queue_says(workloads: Iterable[Object], uid: object) -> str:
    """Kueue's word on the job with that uid. Source: Kueue 0.17, Workload conditions."""
    for item in workloads:
        owners = item["metadata"].get("ownerReferences") or []
        if any(owner.get("uid") == uid for owner in owners):
            conditions = {one["type"]: one for one in (item.get("status") or {}).get("conditions") or []}
            told = conditions.get("QuotaReserved") or {}
            if told.get("status") != "True":
                return " ".join(str(told.get("message") or "").split())[:300]
    return ""


def cannot_create(name: str, events: Iterable[Object]) -> str:
    """Why no pod could be made (quota, limits, Pod Security): only events of the controllers tell it."""
    own = [event for event in events if _about(event.get("involvedObject") or {}, name)]
    last = max(
        own, key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""), default=None
    )
    return f"{last.get('reason')}: {' '.join(str(last.get('message')).split())[:400]}" if last else ""


def _about(involved: Object, name: str) -> bool:
    """Whether an event is about the workload, or the JobSet and Job below it."""
    return involved.get("kind") != "Pod" and involved.get("name") in (name, f"{name}-node-0")
