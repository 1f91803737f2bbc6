"""A training while the cluster itself is in trouble. These disturb all other users of the cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ..cluster.access import foreign
from ..cluster.kubectl import kubectl_or_fail
from ..cluster.lifecycle import start_one
from ..cluster.network import NODE_NAME
from ..cluster.processes import stop
from ..cluster.progress import wait_until
from .test_training_faults import JOB, begun, finish, saved_steps
from .training_fixtures import Train
from .training_result import Result
from .training_run import TrainingRun
from .training_watch import Watch

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(600, func_only=True),
    pytest.mark.skipif(foreign(), reason="stops programs of the cluster that tests/cluster brings up"),
]

Figure = Callable[..., None]


def test_a_drained_node_loses_no_step(train: Train, tiny: Path, tiny_here: Result, figure: Figure) -> None:
    run = begun(train, JOB, "drained", tiny)
    mine = f"--pod-selector=rallypoint.dev/job={run.name}"
    watches, began = [Watch(run, index) for index in range(3)], time.monotonic()
    try:
        kubectl_or_fail("drain", NODE_NAME, mine, "--force", "--delete-emptydir-data", "--timeout=90s")
        took = time.monotonic() - began
        wait_until("new pods to wait for the node", lambda: phases(run) == ["Pending"] * 3, 60)
    finally:
        kubectl_or_fail("uncordon", NODE_NAME)
    assert [watch.ending().get("exitCode") for watch in watches] == [143] * 3
    run.wait_for_start(2)
    resumed = run.starts()[-1]["resumed_from"]
    assert saved_steps(run) == [resumed]
    assert "restarts used" not in run.log(run.pods()[0])  # round 1 of three new launchers
    what = f"the node drained ({took:.0f} s) and uncordoned, all pods anew"
    figure(what, lost=0, resumed=resumed, apart=finish(run, tiny_here, starts=2))


def phases(run: TrainingRun) -> list[str]:
    return [pod["status"]["phase"] for pod in run.pods().values()]


def test_no_names_at_the_start_are_waited_for(
    train: Train, tiny: Path, tiny_here: Result, figure: Figure
) -> None:
    stop("coredns", grace_seconds=1)
    try:
        run = train(JOB, "nameless", tiny)
        time.sleep(30)  # the fault is this long
        said = run.log(run.pods()[1])
        assert run.starts() == []
    finally:
        start_one("coredns")
    began = time.monotonic()
    run.wait_for_start(1)
    start, what = time.monotonic() - began, 'no DNS for the first 30 s; "start" is from its return'
    figure(what, lost=0, start=start, apart=finish(run, tiny_here, starts=1))
    assert "resolve" in said
    assert run.pods_ever() == 3


def test_a_restart_of_the_api_server_goes_unnoticed(
    train: Train, tiny: Path, tiny_here: Result, figure: Figure
) -> None:
    run = begun(train, JOB, "apiless", tiny)
    before, step = run.lives(), run.step()
    stop("kube-apiserver", grace_seconds=1)
    try:
        wait_until("a step without the API", lambda: run.step() > step, 60)
    finally:
        start_one("kube-apiserver")
    what = "API server stopped and started again during the run"
    figure(what, lost=0, apart=finish(run, tiny_here, starts=1))
    kubectl_or_fail("wait", "apiservice", "--all", "--for=condition=Available", "--timeout=90s")
    assert run.anew(before) == []
