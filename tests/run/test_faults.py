"""Signals, kills and readers that go away, each on a run under way."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from run.local import processes_of, wait_until

WORKING = """
import os, signal, sys, time
def stop(*_):
    print("saved", flush=True)
    sys.exit(143)
signal.signal(signal.SIGTERM, stop)
number = int(os.environ["TORCHELASTIC_RESTART_COUNT"]) + 1
print("up", os.environ["RANK"], os.getpid(), "round", number, flush=True)
while not os.path.exists("go"):
    time.sleep(0.05)
"""
PLAIN = WORKING.replace("signal.signal(signal.SIGTERM, stop)", "")
STUBBORN = WORKING.replace("sys.exit(143)", "return")


def up(run, rank, number):
    return int(run.wait_for(rf"up {rank} (\d+) round {number}\b")[1])


def both_up(run):
    """Wait for round 1 on both nodes: one that has not heard of it would begin it again."""
    seen = {run.wait_for(r"up (\d) \d+ round 1\b")[1] for _ in range(2)}
    assert seen == {"0", "1"}


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_everything_within_seconds(job, start, gone, number, code):
    job(WORKING)
    run = start()
    up(run, 0, 1)
    began = time.monotonic()
    run.process.send_signal(number)
    assert run.end() == code
    assert time.monotonic() - began < 10
    gone(5)
    assert "tiny: stopped after" in run.lines[-1]


def test_a_run_under_nohup_outlives_its_terminal(job, start, folder):
    job(WORKING)
    run = start(prefix=("nohup",))
    both_up(run)
    run.process.send_signal(signal.SIGHUP)
    (folder / "go").touch()
    assert run.end() == 0
    assert "saved" not in run.lines


def test_the_processes_can_save_before_they_are_stopped(job, start):
    job(WORKING)
    run = start()
    up(run, 0, 1)
    run.process.send_signal(signal.SIGINT)
    run.end()
    assert "saved" in run.lines


def test_a_second_interrupt_ends_at_once(job, start, gone):
    job(STUBBORN)
    run = start()
    up(run, 0, 1)
    run.process.send_signal(signal.SIGINT)
    run.wait_for("saved")
    began = time.monotonic()
    wait_until(lambda: time.monotonic() > began + 0.6, "longer than a Ctrl-C that arrives twice")
    run.process.send_signal(signal.SIGINT)
    assert run.end(5) == 130
    gone(5)


@pytest.mark.slow
def test_processes_that_do_not_stop_are_killed_after_the_grace_period(job, start, gone):
    job(STUBBORN)
    run = start()
    up(run, 0, 1)
    run.process.terminate()
    assert run.end(45) == 143
    gone(5)


@pytest.mark.parametrize("node", [0, 1])
def test_a_killed_launcher_is_started_again(job, start, folder, node):
    job(PLAIN)
    run = start()
    both_up(run)
    other = run.launcher(1 - node)
    os.kill(run.launcher(node), signal.SIGKILL)
    run.wait_for(rf"node {node}: its launcher was killed by SIGKILL; starting it again")
    run.wait_for(rf"round 2 begins; before: node {node} was lost")
    assert run.launcher(1 - node) == other
    (folder / "go").touch()
    assert run.end() == 0
    assert "1 launcher restart" in run.lines[-1]


def test_a_killed_process_leaves_the_launchers_alone(job, start, folder):
    job(PLAIN)
    run = start()
    process = up(run, 0, 1)
    launchers = [run.launcher(0), run.launcher(1)]
    os.kill(process, signal.SIGKILL)
    run.wait_for(r"round 2 begins; before: rank 0 on node 0: killed by SIGKILL \(restarts used: 1 of 3\)")
    assert [run.launcher(0), run.launcher(1)] == launchers
    (folder / "go").touch()
    assert run.end() == 0


def test_nothing_outlives_a_run_that_is_killed(job, start, gone, tmp_path):
    folder = job(WORKING)
    run = start()
    up(run, 0, 1)
    assert processes_of(folder)
    run.process.kill()
    gone(15)
    wait_until(
        lambda: not list((tmp_path / "tmp").glob("rallypoint-tiny-*")), "the temporary folder is gone", 5
    )


def test_a_run_after_a_killed_one_waits_for_nobody_and_works(job, start, folder, gone):
    job(WORKING)
    run = start()
    up(run, 0, 1)
    run.process.kill()
    gone(15)
    (folder / "go").touch()
    assert start().end() == 0


def test_a_launcher_that_never_gets_far_ends_the_run(job, start, monkeypatch):
    job("import os, signal; os.kill(os.getppid(), signal.SIGKILL)")
    run = start()
    assert run.end() == 1
    assert "killed by SIGKILL, 5 times in a row" in run.text


def test_a_reader_that_goes_away_does_not_end_the_run(job, folder):
    job("import time\nfor i in range(30): print('line', i, flush=True); time.sleep(0.02)\nopen('done', 'w')")
    command = f"{sys.executable} -m rallypoint run | head -n 1; echo ${{PIPESTATUS[0]}}"
    shown = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)
    assert shown.stdout == "line 0\n0\n"
    assert shown.stderr.count("standard output is closed; the run goes on") == 1
    assert "Traceback" not in shown.stderr
    assert (folder / "done").exists()


def test_a_run_with_closed_outputs_works(job, folder):
    job("open('done', 'w')")
    command = f"{sys.executable} -m rallypoint run >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], cwd=folder, timeout=60).returncode == 0
    assert (folder / "done").exists()


def test_a_full_disk_does_not_end_a_run_that_does_not_need_it(job, start, folder):
    job("print('x' * 100, flush=True)")
    (folder / "output/tiny/logs").mkdir(parents=True)
    for node in (0, 1):
        (folder / f"output/tiny/logs/node-{node}.log").symlink_to("/dev/full")
    run = start()
    assert run.end() == 0
    assert len(re.findall(r"node \d: its log cannot be written \(No space left", run.text)) == 2
