"""The fault matrix, part five: torch's own agent under the same launcher."""

import json
import signal
import time

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.fixture
def job(make):
    return lambda **more: make(agent="torchrun", **more)


def test_torchs_agent_ends_with_0_and_ranks_follow_the_nodes(job, saw, tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    sim = job(nodes=3, environment={"STEPS": "20", "TMPDIR": str(temporary)}).up()
    assert sim.ended(seconds=90) == [0] * 3
    assert list(temporary.iterdir()) == []
    found = [
        json.loads(what.split(" ", 1)[1]) for _, _, what in sim.events() if what.startswith("environment")
    ]
    assert sorted((env["RANK"], env["RALLYPOINT_NODE_INDEX"]) for env in found) == [
        ("0", "0"),
        ("1", "1"),
        ("2", "2"),
    ]
    assert sim.marker("done.json")["run_id"].startswith("sim-")
    noise = [
        line for pod in sim.pods for line in pod.log().splitlines() if not line.startswith("[rallypoint")
    ]
    assert noise == []
    saw("0, 0, 0; rank i is node i; nothing but the launcher's own lines in the log")


def test_torchs_agent_ends_with_2_when_a_process_does(job, saw):
    sim = job(nodes=2, max_restarts=0)
    sim.pods[0].back = sim.pods[1].back = None
    sim.fault(1, "exit2", at=5)
    sim.up()
    codes = sim.ended(seconds=90)
    assert codes[1] == 2
    assert sim.termination(1)["message"].startswith("rank 1 on node 1: ValueError: column 'label'")
    assert codes[0] == 143  # it only lost a peer: the verdict is the other's
    assert sim.marker("failed.json")["code"] == 2
    saw(f"node 1: 2, node 0: 143 and on its return 2; {sim.termination(1)['message']}")


def test_torchs_agent_restarts_in_place_after_a_failure(job, saw):
    sim = job(nodes=2).up()
    at = sim.running(seconds=60)
    sim.fault(1, "raise")
    back = sim.running(since=sim.happened("fault"), seconds=60)
    assert sim.launches() == [1, 1]
    saw("in place; launches [1, 1]", back - at)


def test_torchs_agent_gets_over_a_lost_node_zero(job, saw):
    sim = job(nodes=2).up()
    at = sim.running(seconds=60)
    sim.pods[0].signal(signal.SIGKILL)
    back = sim.running(since=at, seconds=90)
    assert sim.launches()[0] == 2
    saw(f"running again; launches {sim.launches()}", back - at)


def test_torchs_agent_passes_a_signal_on_and_leaves_with_143(job, saw):
    sim = job(nodes=2).up()
    at = sim.running(seconds=60)
    for pod in sim.pods:
        pod.back = None
        pod.signal(signal.SIGTERM)
    assert sim.ended() == [143] * 2
    assert any(what.startswith("stopped") for _, _, what in sim.events())
    assert sim.marker("done.json") is None
    saw("143, 143 after a save", max(pod.codes[-1][0] for pod in sim.pods) - at)


def test_torchs_agent_leaves_at_once_while_it_waits(job, saw):
    sim = job(nodes=2)
    sim.pods[0].back = None
    sim.up(0)
    sim.wait(lambda: sim.said(0, "elastic agent number 1"))
    started = time.time()
    sim.wait(lambda: time.time() - started > 4)  # well inside the rendezvous of torch's agent
    at = time.time()
    sim.pods[0].signal(signal.SIGTERM)
    assert sim.ended(0) == [143]
    assert time.time() - at < 3
    saw("143", sim.pods[0].codes[-1][0] - at)


def test_torchs_agent_waits_no_longer_than_the_timeout(job, saw):
    sim = job(nodes=2, rendezvous_timeout_seconds=6)
    sim.pods[0].back = sim.pods[1].back = None
    sim.up(0)
    assert sim.ended(0, seconds=60) == [143]
    assert "did not come within 6 s" in sim.termination(0)["message"]
    saw(sim.termination(0)["message"])


def test_a_killed_launcher_takes_torchs_agent_along(make, saw):
    from launcher.test_orphans import family, gone

    sim = make(nodes=2, on=None, agent="torchrun", environment={"CHILD": "1"}).up()
    sim.running(seconds=60)
    pids = family(sim)
    assert len(pids) == 2 + 4
    for pod in sim.pods:
        pod.back = None
        pod.signal(signal.SIGKILL)
    gone(sim, pids)
    saw("all gone")
