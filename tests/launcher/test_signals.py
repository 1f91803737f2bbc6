"""The fault matrix, part three: SIGTERM, to one pod or to all."""

import os
import signal
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("which", [1, 0])
def test_a_preempted_node_leaves_with_143_after_a_save_and_the_others_stay(make, saw, which):
    sim = make(environment={"SAVE_SECONDS": "2.5"}).up()
    at = sim.running()
    sim.pods[which].signal(signal.SIGTERM)
    back = sim.running(since=at)
    assert sim.pods[which].codes[0][1] == 143
    assert sim.launches() == [1 + (index == which) for index in range(4)]
    assert sim.used() == 0
    stopped = [int(what.split()[1]) for _, _, what in sim.events() if what.startswith("stopped")]
    assert len(stopped) == 4  # the others were not cut off while rank 0 was saving
    resumed = min(
        int(what.split()[1]) for when, _, what in sim.events() if what.startswith("first") and when > at
    )
    assert resumed == stopped[0] + 1
    left = sim.pods[which].codes[0][0] - at
    saw(
        f"left with 143 after {left:.1f} s; all saved at step {stopped[0]}; launches {sim.launches()}",
        back - at,
    )


def test_a_program_without_a_handler_is_preempted_too(make, saw):
    sim = make(environment={"NO_HANDLER": "1"}).up()
    at = sim.running()
    sim.pods[0].signal(signal.SIGTERM)
    back = sim.running(since=at)
    assert sim.pods[0].codes[0][1] == 143
    assert sim.launches() == [2, 1, 1, 1]
    assert sim.used() == 0
    saw(f"left with 143; launches {sim.launches()}", back - at)


@pytest.mark.parametrize("exit_0", ["", "1"], ids=["program exits 143", "program exits 0"])
def test_all_nodes_told_to_stop_leave_with_143(make, saw, exit_0):
    sim = make(environment={"EXIT_0_ON_STOP": exit_0}).up()
    at = sim.running()
    for pod in sim.pods:
        pod.back = None
    for pod in sim.pods:
        pod.signal(signal.SIGTERM)
    assert sim.ended() == [143] * 4
    assert sim.marker("done.json") is None
    last = max(pod.codes[-1][0] for pod in sim.pods) - at
    saw("143, 143, 143, 143; no marker", last)


def test_processes_that_ignore_the_signal_are_killed_after_the_grace_period(make, saw):
    sim = make(environment={"STUBBORN": "1"}, grace_period_seconds=4).up()
    at = sim.running()
    sim.pods[2].back = None
    sim.pods[2].signal(signal.SIGTERM)
    assert sim.ended(2) == [143]
    seconds = sim.pods[2].codes[-1][0] - at
    assert 3 <= seconds < 4.5
    saw("143 within the grace period of 4 s", seconds)


def test_a_signal_while_waiting_for_node_zero_ends_at_once(make, saw):
    sim = make()
    sim.pods[2].back = None
    sim.up(2)
    sim.wait(lambda: sim.said(2, "waiting for node 0"))
    at = time.time()
    sim.pods[2].signal(signal.SIGTERM)
    assert sim.ended(2) == [143]
    seconds = sim.pods[2].codes[-1][0] - at
    assert seconds < 2
    saw("143", seconds)


def test_a_signal_in_the_first_moments_is_not_lost(make, saw):
    sim = make()
    pod = sim.pods[1]
    pod.back = None
    sim.up(1)
    sim.wait(lambda: pod.process and pod.process.pid and _handler_is_there(pod), 10, "the handler")
    at = time.time()
    pod.signal(signal.SIGTERM)
    assert sim.ended(1) == [143]
    saw("143", pod.codes[-1][0] - at)


def _handler_is_there(pod):
    """Whether the launcher catches SIGTERM already, from /proc: the earliest moment at which it can."""
    try:
        status = Path(f"/proc/{pod.pid()}/status").read_text()
    except (OSError, IndexError):
        return False
    caught = int(status.split("SigCgt:")[1].split()[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def _node_1_is_done(sim):
    """Its processes have this moment ended with 0; its launcher has not looked at them since."""
    sim.running()
    processes = sim.pods[1].processes()
    assert processes
    sim.wait(lambda: all(map(_has_ended, processes)), what="node 1 is done", every=0.002)


def _has_ended(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_done_node_told_to_stop_waits_for_the_others_and_ends_with_0(make, saw):
    sim = make(environment={"STEPS": "60", "LINGER_3": "3"}, grace_period_seconds=60).up()
    _node_1_is_done(sim)
    sim.pods[1].signal(signal.SIGTERM)
    assert sim.ended() == [0] * 4
    assert sim.launches() == [1] * 4
    saw("0, 0, 0, 0; nobody started again")


def test_a_done_node_told_to_stop_leaves_with_143_when_the_others_are_not(make, saw):
    sim = make(environment={"STEPS": "60", "LINGER_3": "30"}, grace_period_seconds=2).up()
    _node_1_is_done(sim)
    sim.pods[3].environment = {"LINGER_3": "0"}
    sim.pods[1].signal(signal.SIGTERM)
    sim.wait(lambda: sim.pods[1].codes, 10, "node 1 leaves")
    assert sim.pods[1].codes[0][1] == 143
    saw("143")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP], ids=["SIGINT", "SIGHUP"])
def test_an_interrupt_is_a_stop_too(make, saw, number):
    sim = make(nodes=2).up()
    sim.running()
    for pod in sim.pods:
        pod.back = None
        os.kill(pod.pid(), number)
    assert sim.ended() == [143] * 2
    saw("143, 143")
