"""Trainings beside and after one another: in one namespace, under one name, in one queue."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from ..cluster.progress import wait_until
from .kind import BY_NAME, Kind
from .space import Space
from .test_training_faults import FAULT_STEP, JOB, begun, finish, saved_steps
from .training_fixtures import Train
from .training_queue import create_queue, delete_queue
from .training_result import Result
from .training_run import TrainingRun

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900, func_only=True)]

SUSPENDABLE = [BY_NAME[name] for name in ("job", "jobset", "trainjob", "pytorchjob")]


def test_two_jobs_of_one_namespace_do_not_meet(train: Train, tiny: Path, tiny_here: Result) -> None:
    runs = [train(JOB, name, tiny) for name in ("twin-a", "twin-b")]
    for run in runs:
        finish(run, tiny_here, starts=1)
        assert {event["world_size"] for event in run.starts()} == {3}


def test_a_job_deleted_and_created_again_at_once_trains(train: Train, tiny: Path, tiny_here: Result) -> None:
    run = begun(train, JOB, "again", tiny)
    before = {pod["status"]["podIP"] for pod in run.pods().values()}
    run.delete()
    assert run.apply() == ""
    finish(run, tiny_here, starts=2)
    assert run.starts()[-1]["resumed_from"] >= FAULT_STEP
    assert before.isdisjoint(pod["status"].get("podIP") for pod in run.pods().values())


def test_a_finished_statefulset_does_not_train_again(train: Train, tiny: Path, tiny_here: Result) -> None:
    run = train(BY_NAME["statefulset"], "idle-again", tiny)
    finish(run, tiny_here, starts=1)
    for index in (1, 0):
        run.delete_at_once(index)
        wait_until("the marker to be found", partial(idles, run, index), 120)
    finish(run, tiny_here, starts=1)


def idles(run: TrainingRun, index: int) -> bool:
    """Whether the newest pod of that index says that it has nothing to do."""
    pod = run.pods().get(index)
    states = (pod or {"status": {}})["status"].get("containerStatuses") or [{}]
    return bool(pod and "running" in states[0].get("state", {}) and "idle until" in run.log(pod))


def suspend(run: TrainingRun, value: bool) -> None:
    inner = {"suspend": value}
    spec = {"runPolicy": inner} if run.kind.name == "pytorchjob" else inner
    patch = json.dumps({"spec": spec})
    run.kubectl("patch", f"{run.kind.resource}/{run.name}", "--type=merge", f"--patch={patch}")


@pytest.mark.parametrize("kind", SUSPENDABLE, ids=lambda kind: kind.name)
def test_a_suspended_job_goes_on_where_it_stopped(
    kind: Kind, train: Train, tiny: Path, tiny_here: Result
) -> None:
    run = train(kind, f"suspended-{kind.name}", tiny, "suspend=true")
    assert run.pods() == {}
    suspend(run, False)
    run.wait_for_step(FAULT_STEP)
    suspend(run, True)
    wait_until("the pods to go", lambda: run.pods() == {}, 90)
    suspend(run, False)
    run.wait_for_start(2)
    assert saved_steps(run) == [run.starts()[-1]["resumed_from"]]
    finish(run, tiny_here, starts=2)


@pytest.fixture
def queue(trainings: Space) -> Iterator[str]:
    name = f"queue-{uuid.uuid4().hex[:6]}"
    create_queue(name, trainings.namespace)
    yield name
    delete_queue(name, trainings.namespace)


def test_a_queued_job_is_admitted_held_preempted_and_resumes(
    train: Train, tiny: Path, tiny_here: Result, queue: str
) -> None:
    low = (f"scheduling.queue={queue}", f"scheduling.queue_priority={queue}-low")
    first = begun(train, JOB, "first", tiny, *low)
    second = train(JOB, "second", tiny, *low)
    assert second.pods() == {}
    high = train(JOB, "high", tiny, f"scheduling.queue={queue}", f"scheduling.queue_priority={queue}-high")
    high.wait_for_start(1)
    assert first.pods() == second.pods() == {}
    finish(high, tiny_here, starts=1)
    finish(first, tiny_here, starts=2)
    finish(second, tiny_here, starts=1)
    assert saved_steps(first) == [first.starts()[-1]["resumed_from"]]
