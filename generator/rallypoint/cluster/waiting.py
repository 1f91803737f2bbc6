"""Waiting for the end of a job, on every kind, over short losses of the cluster."""

from __future__ import annotations

import time
from collections.abc import Callable

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import Unreachable
from rallypoint.cluster.state import State
from rallypoint.cluster.view import JobView, job, jobs

LOOK_SECONDS = 1.0
SHORTEST_LOOK_SECONDS = 0.25  # while a short TTL may take the job away
PATIENCE_SECONDS = 120.0  # an API server that restarts or is upgraded is back before that
DONE, FAILED, TIMED_OUT = 0, 1, 124
"""Exit codes of `wait`; 124 is that of timeout(1)."""


def wait_for_end(
    cluster: Cluster, namespace: str, name: str, seconds: float | None, tell: Callable[[str], None]
) -> tuple[int, JobView | None]:
    """The exit code, and the job as it was seen last; None when it was deleted meanwhile.

    `tell` gets a line whenever the state changes. Raises: InputError when there is no such job.
    """
    until = None if seconds is None else time.monotonic() + seconds
    patience = PATIENCE_SECONDS if seconds is None else min(PATIENCE_SECONDS, seconds)
    view = patiently(lambda: [job(cluster, namespace, name)], tell, patience)[0]
    look_seconds = _look_seconds(view)
    uid, kind, said = view.workload["metadata"].get("uid"), view.kind, ""
    while True:
        if view.state.over:
            return (DONE if view.state.name == "succeeded" else FAILED), view
        line = f"{name}: {view.state}"
        if line != said:
            said = line
            tell(line)
        if until is not None and time.monotonic() >= until:
            return TIMED_OUT, view
        left = look_seconds if until is None else max(0.0, min(look_seconds, until - time.monotonic()))
        time.sleep(left)
        found = patiently(lambda: jobs(cluster, namespace, name, [kind]), tell)
        if not found or found[0].workload["metadata"].get("uid") != uid:
            return _gone(view, tell)
        view = found[0]


def ttl_seconds(view: JobView) -> int | None:
    """How long the cluster keeps the job after its end; None: it stays."""
    spec = view.workload.get("spec") or {}
    found = {**(spec.get("runPolicy") or {}), **spec}.get("ttlSecondsAfterFinished")
    return None if found is None else int(found)


def _look_seconds(view: JobView) -> float:
    """Between two looks: a quarter of the TTL, since a look takes time, too."""
    ttl = ttl_seconds(view)
    return LOOK_SECONDS if ttl is None else min(LOOK_SECONDS, max(SHORTEST_LOOK_SECONDS, ttl / 4))


def _gone(view: JobView, tell: Callable[[str], None]) -> tuple[int, JobView | None]:
    """The end of a job that is not there any more: a TTL takes away one that is over."""
    ttl = ttl_seconds(view)
    if ttl is None:
        return FAILED, None
    if len(view.pods) == view.nodes and all(pod.phase == "succeeded" for pod in view.pods):
        return DONE, view._replace(state=State("succeeded"))
    tell(f"{view.name}: its ttl of {ttl}s may have removed it at its end; a longer one lets that be seen")
    return FAILED, None


def patiently(
    look: Callable[[], list[JobView]], tell: Callable[[str], None], patience_seconds: float = PATIENCE_SECONDS
) -> list[JobView]:
    """What `look` finds, tried again while the cluster is out of reach.

    Raises: Unreachable when it stays so.
    """
    until = time.monotonic() + patience_seconds
    told = False
    while True:
        try:
            return look()
        except Unreachable as error:
            if time.monotonic() >= until:
                raise
            if not told:
                tell(f"{error}; trying again for {patience_seconds:.0f} s")
                told = True
            time.sleep(LOOK_SECONDS)
