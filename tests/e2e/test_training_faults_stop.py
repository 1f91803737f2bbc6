"""A training that is told to stop at an awkward moment, that starts in pieces, or that cannot go on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ..cluster.progress import wait_until
from .kind import BY_NAME, Kind
from .test_fault import messages, once
from .test_training_faults import JOB, evict, finish, recovery, saved_steps, to_ranks
from .training_fixtures import Train
from .training_job import tiny_job, write_job
from .training_result import TOLERANCE, Result, difference
from .training_run import TrainingRun, run_locally
from .training_watch import Watch

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

Figure = Callable[..., None]

RIGHTS = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
}
"""What level `restricted` asks of an init container too."""

LATE = """\
import os, time
time.sleep(SECONDS if os.environ["INDEX"] == "NODE" else 0)
"""

FAILING = """\
import os, pathlib
step = pathlib.Path(os.environ["RALLYPOINT_STEP_FILE"])
for number in range(1, 8):
    step.write_text(str(number))
raise ValueError("bad batch at step 7")
"""


def late_node(image: str, node: int, seconds: int) -> dict[str, Any]:
    """The fields that hold this node back in an init container."""
    code = LATE.replace("SECONDS", str(seconds)).replace("NODE", str(node))
    field = {"fieldPath": f"metadata.labels['{JOB.index_label}']"}
    container = {
        "name": "late",
        "image": image,
        "command": ["python3", "-c", code],
        "env": [{"name": "INDEX", "valueFrom": {"fieldRef": field}}],
        "securityContext": RIGHTS,
    }
    return {"init_containers": [container]}


@pytest.fixture
def late(tmp_path: Path, training_image: str) -> Callable[[int, int], Path]:
    """A job file of the tiny job whose node of that index comes that many seconds after the others."""

    def write(node: int, seconds: int) -> Path:
        return write_job(tmp_path, {**tiny_job(), **late_node(training_image, node, seconds)})

    return write


def test_a_node_zero_that_is_a_minute_late_is_waited_for(
    train: Train, late: Callable[[int, int], Path], tiny_here: Result, figure: Figure
) -> None:
    run = train(JOB, "late", late(0, 60))
    wait_until("node 1 to wait", lambda: waits(run, 1, 0), 60)
    run.wait_for_start(1)
    figure("pod 0 starts 60 s after the others", lost=0, apart=finish(run, tiny_here, starts=1))
    assert run.pods_ever() == 3


def waits(run: TrainingRun, index: int, whom: int) -> bool:
    pod = run.pods().get(index)
    states = (pod or {"status": {}})["status"].get("containerStatuses") or [{}]
    return bool(
        pod and "running" in states[0].get("state", {}) and f"waiting for node {whom}" in run.log(pod)
    )


@pytest.mark.parametrize(("index", "whom"), [(1, 0), (0, 1)])
def test_a_signal_during_rendezvous_is_obeyed_within_seconds(
    index: int, whom: int, *, train: Train, late: Callable[[int, int], Path], figure: Figure
) -> None:
    run = train(JOB, f"leaving-{index}", late(whom, 600))
    wait_until(f"node {index} to wait", lambda: waits(run, index, whom), 60)
    watch = Watch(run, index)
    asked = datetime.now(UTC)
    run.kubectl("delete", "pod", str(run.pods()[index]["metadata"]["name"]), "--timeout=60s")
    ending = watch.ending()
    took = (datetime.fromisoformat(ending["finishedAt"]) - asked).total_seconds()
    figure(f"SIGTERM while node {index} waits for node {whom}", gone=took, code=ending["exitCode"])
    assert ending["exitCode"] == 143
    assert "SIGTERM" in json.loads(ending["message"])["message"]
    assert took < 10


def stopped_in(
    what: str,
    run: TrainingRun,
    wanted: Result,
    figure: Figure,
    evicted: Callable[[TrainingRun, int], None] = evict,
) -> None:
    """Evicts node 1 now; all ranks must stop at one step, and go on from it to the same losses."""
    watch, began = Watch(run, 1), time.monotonic()
    before = run.lives()
    evicted(run, 1)
    took, ending = recovery(run, began), watch.ending()
    resumed = run.starts()[-1]["resumed_from"]
    assert run.anew(before) == [1]
    assert saved_steps(run) == [resumed]
    assert ending["exitCode"] == 143
    run.wait_until_done(240)
    assert len(run.starts()) == 2
    found = run.result().losses()
    assert len(found) >= 50
    apart = difference(found, wanted.losses())
    figure(f"pod 1 evicted {what}", lost=0, resumed=resumed, apart=apart, **took)
    assert apart <= TOLERANCE


def test_a_signal_during_a_save_loses_no_step(
    train: Train, tiny: Path, tmp_path: Path, figure: Figure
) -> None:
    every_step = (
        "train.training_args.save_steps=1",
        "train.training_args.logging_steps=1",
        "train.training_args.max_steps=120",
    )
    wanted = run_locally(tiny, tmp_path, *every_step)
    run = train(JOB, "saving", tiny, *every_step)
    run.wait_for_step(10)
    stopped_in("while rank 0 writes a checkpoint", run, wanted, figure, evicted_in_a_save)


def evicted_in_a_save(run: TrainingRun, index: int) -> None:
    """Evicts that node while rank 0, which writes the weights, is frozen with a checkpoint half written."""
    pod = run.pods()[index]
    wait_until("rank 0 frozen in a save", lambda: frozen_in_a_save(run), 120)
    saving = half_written(run)
    evict(run, index)
    wait_until("the signal", lambda: "leaving;" in run.log(pod), 30)
    assert half_written(run) == saving
    assert run.python(0, to_ranks("SIGCONT")).split()


def frozen_in_a_save(run: TrainingRun) -> bool:
    assert run.python(0, to_ranks("SIGSTOP")).split()
    found = bool(half_written(run))
    if not found:
        run.python(0, to_ranks("SIGCONT"))
    return found


def half_written(run: TrainingRun) -> list[str]:
    return sorted(path.name for path in run.folder.glob(".saving-*"))


def test_a_signal_during_an_evaluation_loses_nothing(
    train: Train, tiny: Path, tmp_path: Path, figure: Figure
) -> None:
    long_evaluation = (
        "train.dataset.data_files.validation=../data/tiny/train.jsonl",
        "train.training_args.per_device_eval_batch_size=1",
        "train.training_args.eval_strategy=steps",
        "train.training_args.eval_steps=10",  # most of the time goes to evaluations
        "train.training_args.save_steps=20",
        "train.training_args.logging_steps=1",
        "train.training_args.max_steps=60",
    )
    wanted = run_locally(tiny, tmp_path, *long_evaluation)
    run = train(JOB, "evaluating", tiny, *long_evaluation)
    run.wait_for_step(10)
    stopped_in("during an evaluation; it is finished, then all save", run, wanted, figure)
    (stop,) = saved_steps(run)
    told = [(event["event"], event.get("step")) for event in run.events()]
    assert told.index(("notice", None)) < told.index(("eval", stop))
    assert difference(evaluations(run.events()), evaluations(wanted.events)) <= TOLERANCE


def evaluations(events: list[dict[str, Any]]) -> dict[int, float]:
    """Step to the loss of its evaluation."""
    found = [(event["step"], event["metrics"]["eval_loss"]) for event in events if event["event"] == "eval"]
    assert len(found) == len(dict(found))
    return dict(found)


def test_a_program_that_always_fails_ends_with_its_traceback(train: Train, tmp_path: Path) -> None:
    job = {**tiny_job(), "script": {"inline": FAILING}, "max_restarts": 1}
    del job["train"]
    run = train(JOB, "failing", write_job(tmp_path, job))
    run.wait_for("Failed")
    told = messages(run)
    assert told
    assert {message["code"] for message in told} == {1}
    assert all("max_restarts 1 used up" in message["message"] for message in told)
    assert any(
        message.get("traceback", "").rstrip().endswith("ValueError: bad batch at step 7") for message in told
    )


@pytest.mark.parametrize("kind", [JOB, BY_NAME["statefulset"]], ids=lambda kind: kind.name)
def test_a_wrong_path_of_the_data_ends_the_job_at_once(kind: Kind, train: Train, tiny: Path) -> None:
    run = train(kind, f"astray-{kind.name}", tiny, "train.dataset.data_files.train=/data/nowhere.jsonl")
    if kind is JOB:
        run.wait_for("Failed")
        told = messages(run)
    else:
        wait_until("failed.json", (run.folder / "failed.json").exists, 120)
        told = [json.loads((run.folder / "failed.json").read_text())]
    assert told
    assert {message["code"] for message in told} == {2}
    assert all("/data/nowhere.jsonl" in message["message"] for message in told)
    once(run)
