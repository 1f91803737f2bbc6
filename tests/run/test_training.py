"""A training that is disturbed in every way ends with the losses of one that is not."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from run.local import processes_of, wait_until

pytestmark = pytest.mark.slow

PROGRAM = (Path(__file__).parent / "descent.py").read_text()
NODES = 3
SLOW_TO_STOP = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: time.sleep(5))
print("up", flush=True)
time.sleep(99)
"""


def arguments(steps, sleep):
    return ["--set", f"script.args={{{steps},{sleep}}}"]


def losses(folder):
    """The last loss that was logged for each step."""
    lines = (folder / "output/tiny/losses.jsonl").read_text().splitlines()
    return {entry["step"]: entry["loss"] for entry in map(json.loads, lines)}


@pytest.fixture
def undisturbed(job, start, folder):
    """Losses of a run that nothing happens to."""

    def of(steps):
        job(PROGRAM, nodes=NODES)
        assert start(*arguments(steps, 0)).end(120) == 0
        found = losses(folder)
        shutil.rmtree(folder / "output")
        return found

    return of


def test_kills_of_launchers_and_a_process_leave_the_losses_alone(job, start, folder, undisturbed, gone):
    expected = undisturbed(120)
    run = start(*arguments(120, 0.1))
    run.wait_for("^step 20$", 120)
    others = run.launcher(0), run.launcher(2)
    os.kill(run.launcher(1), signal.SIGKILL)
    run.wait_for("^step 40$", 120)
    assert (run.launcher(0), run.launcher(2)) == others
    others = run.launcher(1), run.launcher(2)
    os.kill(run.launcher(0), signal.SIGKILL)
    process = int(run.wait_for(r"rank 0 is process (\d+)", 120)[1])
    run.wait_for("^step 70$", 120)
    launchers = run.launcher(0), *others
    os.kill(process, signal.SIGKILL)
    assert run.end(180) == 0
    assert (run.launcher(0), run.launcher(1), run.launcher(2)) == launchers
    found = losses(folder)
    assert len(found) >= 50
    assert found == pytest.approx(expected, rel=1e-5)
    assert found[120] < found[1] / 10
    gone()


def test_an_interrupted_run_goes_on_from_its_checkpoint(job, start, folder, undisturbed, gone):
    expected = undisturbed(60)
    run = start(*arguments(60, 0.1))
    run.wait_for("^step 20$", 120)
    began = time.monotonic()
    run.process.send_signal(signal.SIGINT)
    assert run.end() == 130
    assert time.monotonic() - began < 15
    gone(5)
    assert "the same command goes on from its newest checkpoint" in run.lines[-1]
    again = start(*arguments(60, 0))
    assert again.end(120) == 0
    assert "an earlier run left a checkpoint; going on from there" in again.text
    assert "step 20" not in again.lines
    assert losses(folder) == pytest.approx(expected, rel=1e-5)


def test_nothing_outlives_a_killed_run_and_the_next_goes_on(job, start, folder, undisturbed, gone):
    expected = undisturbed(60)
    run = start(*arguments(60, 0.1))
    run.wait_for("^step 20$", 120)
    assert len(processes_of(folder)) > NODES
    run.process.kill()
    gone(20)
    again = start(*arguments(60, 0))
    assert again.end(120) == 0
    assert losses(folder) == pytest.approx(expected, rel=1e-5)


def test_a_run_that_starts_while_a_killed_one_still_ends_is_refused(job, start, folder, gone):
    job(SLOW_TO_STOP)
    run = start()
    run.wait_for("up")
    run.process.kill()
    again = start()
    assert again.end() == 2
    assert "is being written by another run" in again.text
    gone(40)
    wait_until(
        lambda: start("--set", "script.inline=pass", "--set", "script.file=null").end() == 0, "free again"
    )
