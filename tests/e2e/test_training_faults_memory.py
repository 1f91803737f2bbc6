"""A training whose rank the kernel kills for its memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .cli import rallypoint
from .test_fault import ended, messages
from .test_training_faults import JOB, RANKS, begun, finish, lost, recovery
from .training_fixtures import Train
from .training_result import Result
from .training_run import TrainingRun

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

Figure = Callable[..., None]

HOG = f"""{RANKS}
import time
for name in ranks:
    open("/proc/" + name + "/oom_score_adj", "w").write("1000")
def living(name):
    try:
        return open("/proc/" + name + "/stat").read().rpartition(")")[2].split()[0] not in "XZ"
    except OSError:
        return False
held = []
while all(map(living, ranks)):
    held.append(bytearray(8 << 20))
    time.sleep(0.02)  # one that was killed takes a moment to give its memory back
print("gone")
"""
"""Takes memory until the kernel has killed the training process, which it would rather kill than this one."""

KILLED = "rank 1 on node 1: killed by the kernel: the container's memory limit"


def hog(run: TrainingRun, index: int) -> None:
    assert "gone" in run.python(index, HOG)


def test_a_rank_killed_for_memory_restarts_in_place(
    train: Train, tiny: Path, tiny_here: Result, figure: Figure
) -> None:
    run = begun(train, JOB, "memory", tiny, "resources.memory=1Gi")
    before, began = run.lives(), time.monotonic()
    hog(run, 1)
    took, said = recovery(run, began), run.log(run.pods()[0])
    assert "killed by the kernel: the container's memory limit is reached" in said
    assert "restarts used: 1 of 3" in said
    resumed = run.starts()[-1]["resumed_from"]
    apart = finish(run, tiny_here, starts=2)
    what = "one rank killed for memory; 1 restart used, no new pod"
    figure(what, lost=lost([], resumed), resumed=resumed, apart=apart, **took)
    assert run.anew(before) == []


def test_an_end_by_memory_is_named_in_the_termination_message(train: Train, tiny: Path) -> None:
    run = begun(train, JOB, "memory-end", tiny, "resources.memory=1Gi", "max_restarts=0")
    hog(run, 1)
    run.wait_for("Failed")
    texts = [told["message"] for told in messages(run)]
    assert texts
    assert all(KILLED in text for text in texts)
    assert KILLED in rallypoint("status", run.name, "--namespace", run.namespace).stdout
    assert ended(run.pods()[1])["exitCode"] == 1  # the launcher's own: it was not the one that was killed
