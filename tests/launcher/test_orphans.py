"""Nothing outlives its launcher: the processes, and the children that they have put into sessions of their
own."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def family(sim):
    """Process ids of all training processes and of their children, on loopback."""
    ranks = [pid for pod in sim.pods for pid in pod.processes()]
    return ranks + [int(what.split()[1]) for _, _, what in sim.events() if what.startswith("child")]


def gone(sim, pids):
    sim.wait(lambda: not any(map(alive, pids)), 10, f"gone: {[pid for pid in pids if alive(pid)]}")


def start(make, **more):
    sim = make(nodes=2, on=None, environment={"CHILD": "1", **more}, grace_period_seconds=4).up()
    sim.running()
    pids = family(sim)
    assert len(pids) == 2 + 4
    assert all(map(alive, pids))
    return sim, pids


def test_a_killed_launcher_takes_its_processes_along(make, saw):
    sim, pids = start(make)
    for pod in sim.pods:
        pod.back = None
        pod.signal(signal.SIGKILL)
    at = time.time()
    gone(sim, pids)
    saw("all gone", time.time() - at)


def test_a_stopped_launcher_takes_its_processes_along(make, saw):
    sim, pids = start(make, STUBBORN="1")
    for pod in sim.pods:
        pod.back = None
        pod.signal(signal.SIGTERM)
    assert sim.ended() == [143] * 2
    assert not any(map(alive, pids))
    saw("all gone")


def test_a_failed_round_leaves_nothing_behind(make, saw):
    sim, pids = start(make)
    sim.fault(1, "raise")
    at = sim.happened("fault")
    sim.running(since=at)
    assert not any(map(alive, pids))
    saw("all gone before the next round")


def test_pid_1_reaps_what_its_processes_leave(make, namespaces, saw):
    sim = make(nodes=1, script={"module": "launcher.forker"}, workdir=str(Path(__file__).parents[1])).up()
    sim.happened("left")

    def zombies():
        found = []
        for entry in os.scandir("/proc"):
            try:
                state, parent = Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if state == "Z" and int(parent) == sim.pods[0].pid():
                found.append(entry.name)
        return found

    sim.wait(lambda: not zombies(), 5, "no zombies")
    saw("no zombies")
