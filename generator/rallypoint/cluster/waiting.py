"""Waiting for the end of a job, on every kind, over short losses of the cluster."""

from __future__ import annotations

import time
from collections.abc import Callable

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import Unreachable
from rallypoint.cluster.view import JobView, job, jobs

LOOK_SECONDS = 1.0
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
    view = job(cluster, namespace, name)
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
        left = LOOK_SECONDS if until is None else max(0.0, min(LOOK_SECONDS, until - time.monotonic()))
        time.sleep(left)
        found = patiently(lambda: jobs(cluster, namespace, name, [kind]), tell)
        if not found or found[0].workload["metadata"].get("uid") != uid:
            return FAILED, None
        view = found[0]


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
