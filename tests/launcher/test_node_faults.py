"""The fault matrix, part two: whole nodes are lost, and come back or do not."""

import os
import signal
import time

import pytest

pytestmark = pytest.mark.slow


def come_back(sim, since, launches, saw, *, used=0, more="", seconds=40):
    back = sim.running(since=since, seconds=seconds)
    assert sim.launches() == launches
    assert sim.used() == used
    saw(f"running again; launches {launches}, restarts used {used}{more}", back - since)


@pytest.mark.parametrize("lost", [(2,), (0,), (0, 2), (1, 2, 3)], ids=str)
def test_lost_nodes_come_back_and_the_others_stay(make, saw, lost):
    sim = make().up()
    at = sim.running()
    for index in lost:
        sim.pods[index].signal(signal.SIGKILL)
    come_back(sim, at, [1 + (index in lost) for index in range(4)], saw)


def test_the_restarts_used_outlive_node_zero(make, saw):
    sim = make().up()
    at = sim.running()
    sim.pods[0].signal(signal.SIGKILL)
    at = sim.running(since=at)
    sim.fault(1, "raise")
    at = sim.running(since=sim.happened("fault"))
    sim.pods[0].signal(signal.SIGKILL)
    come_back(sim, at, [3, 1, 1, 1], saw, used=1)


def test_a_node_that_stays_away_ends_the_others_with_143(make, saw):
    sim = make(rendezvous_timeout_seconds=4).up()
    at = sim.running()
    sim.pods[2].back = None
    for pod in sim.pods:
        pod.back = None
    sim.pods[2].signal(signal.SIGKILL)
    codes = sim.ended(0, 1, 3)
    assert codes == [143] * 3
    message = sim.termination(1)["message"]
    assert message == "node 2 did not come within 4 s; 3 of 4 nodes waited"
    saw(f"143, 143, 143; {message}", sim.pods[1].codes[-1][0] - at)


def test_a_node_zero_that_stays_away_ends_the_others_with_143(make, saw):
    sim = make(rendezvous_timeout_seconds=4).up()
    at = sim.running()
    for pod in sim.pods:
        pod.back = None
    sim.pods[0].signal(signal.SIGKILL)
    assert sim.ended(1, 2, 3) == [143] * 3
    message = sim.termination(3)["message"]
    assert "for node 0: " in message
    saw(f"143, 143, 143; {message}", sim.pods[3].codes[-1][0] - at)


def test_a_node_zero_that_vanishes_without_a_word_is_taken_back(make, namespaces, saw):
    sim = make(environment={"GROUP_SECONDS": "600"}).up()
    at = sim.running()
    namespaces.cable(0, "down")
    pod = sim.pods[0]
    pod.back = 15
    pod.signal(signal.SIGKILL)
    try:
        sim.wait(lambda: len(pod.starts) == 2, 30, "node 0 is started again")
    finally:
        namespaces.cable(0, "up")
    come_back(sim, at, [2, 1, 1, 1], saw, seconds=60)


def test_launchers_that_are_frozen_for_a_while_restart_nothing(make, saw):
    sim = make().up()
    sim.running()
    frozen = [sim.pods[index].pid() for index in (0, 2)]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    at = time.time()
    sim.wait(lambda: time.time() - at > 8)
    for pid in frozen:
        os.kill(pid, signal.SIGCONT)
    thawed = time.time()
    sim.wait(lambda: time.time() - thawed > 3)
    assert sum(what.startswith("first") for _, _, what in sim.events()) == 4
    assert sim.launches() == [1] * 4
    saw(f"launches {sim.launches()}, no rank started again")


def test_a_node_cut_off_and_replaced_leaves_when_it_is_back(make, namespaces, saw):
    sim = make(environment={"GROUP_SECONDS": "600"}).up()
    at = sim.running()
    namespaces.cable(3, "down")
    sim.wait(lambda: sim.said(1, "waiting for node 3"), 30, "the others notice")
    old, new = sim.pods[3], type(sim.pods[3])(sim, 3)
    old.back, new.network = None, 12
    sim.pods.append(new)
    new.thread.start()
    back = sim.running(since=at + 1)
    namespaces.cable(3, "up")
    sim.wait(lambda: old.over, 40, "the old launcher leaves")
    assert old.code() == 143
    assert "another launcher has taken this node's place" in old.log()
    saw("running with the new one; the old one left with 143", back - at)


def test_a_node_killed_while_the_others_are_done_finishes_again(make, saw):
    sim = make(environment={"STEPS": "40", "LINGER_3": "3"}).up()
    at = sim.happened("end")
    sim.pods[3].environment = {"LINGER_3": "0"}
    sim.pods[3].signal(signal.SIGKILL)
    assert sim.ended() == [0] * 4
    assert sim.marker("done.json")["rounds"] == 2
    saw(f"0, 0, 0, 0; launches {sim.launches()}", sim.pods[0].codes[-1][0] - at)


def test_a_node_zero_that_returns_after_the_end_finds_its_marker(make, saw):
    sim = make(environment={"STEPS": "10"}).up()
    assert sim.ended() == [0] * 4
    again = type(sim.pods[0])(sim, 0)
    again.thread.start()
    sim.wait(lambda: again.over, 10)
    assert again.code() == 0
    assert "this run is done already" in again.log()
    saw("0 at once")


def test_a_node_lost_again_and_again_without_a_step_forward_ends_the_job(make, saw):
    sim = make(environment={"NO_HANDLER": "1"})
    sim.pods[2].back = 0.0
    sim.fault(0, "hang", at=3, always=True)
    sim.up()
    for rounds in range(1, 11):
        sim.wait(
            lambda n=rounds: sum("fault hang" in what for _, _, what in sim.events()) >= n,
            20,
            f"round {rounds}",
        )
        sim.pods[2].signal(signal.SIGKILL)
    codes = sim.ended()
    assert codes == [1] * 4
    message = sim.termination(1)["message"]
    assert message.startswith("no step forward in 10 rounds; last: node 2 was lost")
    saw(f"1, 1, 1, 1; {message}")
