"""Forty runs that finish, and forty that fail: each ends as it must, and says no more than it must."""

import re

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

COLLECTIVE = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
value = torch.ones(1)
for _ in range(5):
    dist.all_reduce(value)
print("sum", int(value), flush=True)
"""
NOISE = re.compile(r"terminate called|failed to shutdown|frame #|C\\+\\+|Traceback|Aborted|\[W\d")

ERRORS = {
    "ValueError: bad batch": "raise ValueError('bad batch')",
    "KeyError: 'label'": "{}['label']",
    "ZeroDivisionError: division by zero": "1 / 0",
    "killed by SIGSEGV": "import signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "ended with 7": "sys.stderr.flush(); os._exit(7)",
}
FAILING = """
import os, sys, time
for step in range({step} + 1):
    open(os.environ["RALLYPOINT_STEP_FILE"], "w").write(str(step))
    if step == {step} and os.environ["RANK"] == "{rank}":
        {error}
    time.sleep(0.05)
time.sleep(60)
"""


@pytest.mark.parametrize("turn", range(40))
def test_a_finished_run_ends_with_zero_and_without_noise(job, start, turn):
    job(COLLECTIVE)
    run = start()
    assert run.end(120) == 0
    assert NOISE.findall(run.text) == []
    assert run.lines[1:-1] == ["sum 32"]


@pytest.mark.parametrize("step", [0, 1, 3, 8])
@pytest.mark.parametrize("rank", [0, 2])
@pytest.mark.parametrize("error", ERRORS)
def test_a_failing_run_ends_with_its_rank_and_message(job, start, error, rank, step):
    job(FAILING.format(step=step, rank=rank, error=ERRORS[error]), nodes=3, more="max_restarts: 0\n")
    run = start()
    assert run.end(60) == 1
    told = [line for line in run.lines if line.startswith("tiny: failed")]
    assert len(told) == 1
    assert told[0].endswith(f"rank {rank} on node {rank}: {error} (step {step})")
    assert run.text.count("Traceback") <= 1
    assert len(run.lines) < 24
