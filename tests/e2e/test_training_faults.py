"""A training that loses a pod or a process ends with the numbers of an undisturbed one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..cluster.access import foreign
from ..cluster.containerd import ctr
from ..cluster.progress import wait_until
from .kind import BY_NAME, KINDS, Kind
from .training_fixtures import Train
from .training_job import SAVE_STEPS, TINY_LOGGED, TINY_STEPS
from .training_result import TOLERANCE, Result, difference
from .training_run import TrainingRun
from .training_watch import Watch

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

FAULT_STEP = 200
JOB = BY_NAME["job"]

LOST = [
    pytest.param(kind, index, id=f"{kind.name}-{index}", marks=marks)
    for kind in KINDS
    for index, marks in ((1, [pytest.mark.core] if kind is JOB else []), (0, []))
]

RANKS = """\
import os
ranks = []
for name in os.listdir("/proc"):
    if name.isdigit():
        try:
            command = open(f"/proc/{name}/cmdline", "rb").read()
        except OSError:
            continue
        if b"rallypoint_trainer" in command and b"-c" not in command.split(bytes(1)):
            ranks.append(name)
"""
"""Code that finds the ids of the training processes of its pod."""


def to_ranks(number: str) -> str:
    """Code that sends the signal of that name to the training processes of its pod, and prints their ids."""
    return f"{RANKS}import signal\nfor name in ranks:\n    print(name, os.kill(int(name), signal.{number}))\n"


def begun(train: Train, kind: Kind, name: str, tiny: Path, *values: str) -> TrainingRun:
    """The tiny job at the step of the fault."""
    run = train(kind, name, tiny, *values)
    run.wait_for_step(FAULT_STEP)
    return run


def finish(run: TrainingRun, wanted: Result, starts: int) -> float:
    """Waits for the end; how far the losses are from the undisturbed run's, which is tested too.

    `starts` is how often the ranks have begun together: one more, and another node had come or gone.
    """
    run.wait_until_done(240)
    assert len(run.starts()) == starts
    found = run.result().losses()
    assert len(found) == TINY_LOGGED
    assert max(found) == TINY_STEPS
    apart = difference(found, wanted.losses())
    assert apart <= TOLERANCE
    return apart


def recovery(run: TrainingRun, began: float) -> dict[str, float]:
    """Seconds from `began` until all ranks are ready to train again, and until there is a new step.

    `imports` is the part of it that the ranks' own start took: imports, the model, meeting each other.
    """
    run.wait_for_start(2)
    start, imports = time.monotonic() - began, time.time() - run.round_began(0)
    first, second = (i for i, event in enumerate(run.events()) if event["event"] == "start")
    old = max(event["step"] for event in run.events()[first:second] if event["event"] == "log")
    run.wait_for_step(max(old, run.starts()[-1]["resumed_from"] or 0) + 1)
    return {"imports": imports, "start": start, "step": time.monotonic() - began}


def returned(run: TrainingRun, index: int, began: float, before: tuple[str, int]) -> dict[str, float]:
    """The same, and until a new pod of that index runs."""

    def running() -> bool:
        pod = run.pods().get(index)
        if pod is None or pod["metadata"]["uid"] == before[0]:
            return False
        (status,) = pod["status"].get("containerStatuses") or [{}]
        return "running" in status.get("state", {})

    wait_until("the pod to return", running, 120)
    return {"pod": time.monotonic() - began, **recovery(run, began)}


@pytest.mark.parametrize(("kind", "index"), LOST)
def test_a_lost_pod_costs_no_other_pod_and_no_digit(
    kind: Kind, index: int, *, train: Train, tiny: Path, tiny_here: Result, figure: Callable[..., None]
) -> None:
    run = begun(train, kind, f"lost-{index}-{kind.name}", tiny)
    before, began = run.lives(), time.monotonic()
    run.delete_at_once(index)
    took = returned(run, index, began, before[index])
    assert run.anew(before) == [index]
    resumed = run.starts()[-1]["resumed_from"]
    saved, apart = saved_steps(run), finish(run, tiny_here, starts=2)
    what = f"pod {index} deleted with `--force --grace-period=0`"
    figure(what, kind=kind.name, lost=lost(saved, resumed), resumed=resumed, apart=apart, **took)
    assert resumed >= FAULT_STEP - SAVE_STEPS


@pytest.mark.skipif(foreign(), reason="kills through containerd's socket, which is on the node")
@pytest.mark.parametrize("index", [1, 0])
def test_a_crashed_pod_goes_back_to_the_newest_checkpoint(
    index: int, train: Train, tiny: Path, tiny_here: Result, figure: Callable[..., None]
) -> None:
    run = begun(train, JOB, f"crashed-{index}", tiny)
    before, began = run.lives(), time.monotonic()
    (status,) = run.pods()[index]["status"]["containerStatuses"]
    killed = ctr("tasks", "kill", "--signal=SIGKILL", status["containerID"].removeprefix("containerd://"))
    assert killed.returncode == 0, killed.stderr
    took, resumed = recovery(run, began), run.starts()[-1]["resumed_from"]
    said = run.log(run.pods()[1 - index])
    assert run.anew(before) == [index]
    apart = finish(run, tiny_here, starts=2)
    what = f"every process of pod {index} killed with SIGKILL"
    figure(what, lost=lost([], resumed), resumed=resumed, apart=apart, **took)
    assert resumed >= FAULT_STEP - SAVE_STEPS
    assert resumed % SAVE_STEPS == 0
    assert saved_steps(run) == []
    assert "restarts used: 0 of 3" in said


def test_a_killed_process_restarts_no_pod(
    train: Train, tiny: Path, tiny_here: Result, figure: Callable[..., None]
) -> None:
    run = begun(train, JOB, "killed", tiny)
    before, began = run.lives(), time.monotonic()
    assert run.python(1, to_ranks("SIGKILL")).split()
    took, resumed = recovery(run, began), run.starts()[-1]["resumed_from"]
    assert "restarts used: 1 of 3" in run.log(run.pods()[0])
    apart = finish(run, tiny_here, starts=2)
    what = "one training process killed with SIGKILL; 1 restart used, no new pod"
    figure(what, lost=lost([], resumed), resumed=resumed, apart=apart, **took)
    assert run.anew(before) == []


def evict(run: TrainingRun, index: int) -> None:
    """Through the API, as a drain does."""
    name = str(run.pods()[index]["metadata"]["name"])
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    path = f"/api/v1/namespaces/{run.namespace}/pods/{name}/eviction"
    run.kubectl("create", f"--raw={path}", "--filename=-", stdin=json.dumps(body))


@pytest.mark.parametrize("index", [1, 0])
def test_an_evicted_pod_loses_no_step(
    kind: Kind, index: int, *, train: Train, tiny: Path, tiny_here: Result, figure: Callable[..., None]
) -> None:
    run = begun(train, kind, f"evicted-{index}-{kind.name}", tiny)
    before, watch, began = run.lives(), Watch(run, index), time.monotonic()
    evict(run, index)
    took = returned(run, index, began, before[index])
    ending, resumed, saved = watch.ending(), run.starts()[-1]["resumed_from"], saved_steps(run)
    assert run.anew(before) == [index]
    said = run.log(run.pods()[1 - index])
    apart = finish(run, tiny_here, starts=2)
    what = f"pod {index} evicted through the API; its launcher ends with 143, no restart used"
    figure(what, kind=kind.name, lost=lost(saved, resumed), resumed=resumed, apart=apart, **took)
    assert saved == [resumed]
    assert ending["exitCode"] == 143
    assert "restarts used: 0 of 3" in said


def lost(saved: list[int], resumed: int) -> str:
    """Steps trained twice, for the table."""
    return "0" if saved == [resumed] else "since the checkpoint"


def saved_steps(run: TrainingRun) -> list[int]:
    """Steps at which all ranks agreed to stop."""
    texts = [event["text"] for event in run.events() if event["event"] == "notice"]
    words = "told to stop: the checkpoint of step "
    return [int(text.removeprefix(words).split()[0]) for text in texts if text.startswith(words)]


def test_a_truncated_checkpoint_is_passed_over(
    train: Train, tiny: Path, tiny_here: Result, figure: Callable[..., None]
) -> None:
    run = begun(train, JOB, "truncated", tiny)
    before = run.lives()
    run.delete_at_once(1)
    wait_until("all ranks to stop", lambda: bool(saved_steps(run)), 60)  # a deletion sends SIGTERM first
    newest, older = steps_of_checkpoints(run)[:2]
    weights = run.folder / f"checkpoint-{newest}" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    run.wait_for_start(2)
    assert run.starts()[-1]["resumed_from"] == older
    notices: list[Any] = [event["text"] for event in run.events() if event["event"] == "notice"]
    assert any(f"checkpoint-{newest}" in text and "model.safetensors" in text for text in notices)
    assert run.anew(before) == [1]
    what = "newest checkpoint cut to 1000 bytes while pod 1 was lost: the one before it was taken"
    figure(what, lost=newest - older, resumed=older, apart=finish(run, tiny_here, starts=2))


def steps_of_checkpoints(run: TrainingRun) -> list[int]:
    """The newest first."""
    names = (path.name.removeprefix("checkpoint-") for path in run.folder.glob("checkpoint-*"))
    return sorted((int(name) for name in names if name.isdigit()), reverse=True)
