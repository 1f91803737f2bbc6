"""Two processes a node, and twelve nodes."""

import json
import os
import random
import signal

import pytest

pytestmark = pytest.mark.slow


def environments(sim):
    found = [
        json.loads(what.split(" ", 1)[1]) for _, _, what in sim.events() if what.startswith("environment")
    ]
    return {int(env["RANK"]): env for env in found}


def test_twelve_nodes_in_any_order_have_their_index_as_rank(make, saw):
    sim = make(nodes=12, environment={"STEPS": "60"})
    order = list(range(12))
    random.Random(3).shuffle(order)
    for index in order:
        sim.up(index)
    back = sim.running()
    assert sim.ended() == [0] * 12
    found = environments(sim)
    assert [found[rank]["RALLYPOINT_NODE_INDEX"] for rank in range(12)] == [str(rank) for rank in range(12)]
    assert {env["MASTER_ADDR"] for env in found.values()} == {sim.fields["endpoint"].split(":")[0]}
    saw("rank i is node i for all 12", back - sim.t0)


def test_twelve_nodes_get_over_the_loss_of_four(make, saw):
    sim = make(nodes=12).up()
    at = sim.running()
    for index in (0, 5, 7, 11):
        sim.pods[index].signal(signal.SIGKILL)
    back = sim.running(since=at)
    assert sim.launches() == [1 + (index in (0, 5, 7, 11)) for index in range(12)]
    saw(f"launches {sim.launches()}", back - at)


def test_two_processes_a_node_have_ranks_in_node_order(make, saw):
    sim = make(nodes=3, nproc=2, environment={"STEPS": "30"}).up()
    assert sim.ended() == [0] * 3
    found = environments(sim)
    assert [(env["GROUP_RANK"], env["LOCAL_RANK"]) for _, env in sorted(found.items())] == [
        ("0", "0"), ("0", "1"), ("1", "0"), ("1", "1"), ("2", "0"), ("2", "1"),
    ]  # fmt: skip
    assert found[5]["LOCAL_WORLD_SIZE"] == "2"
    saw("ranks 0-1, 2-3, 4-5")


def test_one_of_two_processes_killed_takes_the_round_along(make, saw):
    sim = make(nodes=3, nproc=2).up()
    at = sim.running()
    os.kill(sim.pods[1].processes()[1], signal.SIGKILL)
    back = sim.running(since=at)
    assert sim.launches() == [1] * 3
    assert sim.said(0, "again because rank 3 on node 1: killed by SIGKILL")
    saw("in place; rank 3 on node 1 blamed", back - at)


def test_a_lost_node_of_two_processes_comes_back(make, saw):
    sim = make(nodes=3, nproc=2).up()
    at = sim.running()
    sim.pods[0].signal(signal.SIGKILL)
    back = sim.running(since=at)
    assert sim.launches() == [2, 1, 1]
    assert sim.used() == 0
    saw("launches [2, 1, 1], restarts used 0", back - at)


def test_exit_2_of_a_second_process_ends_all_with_2(make, saw):
    sim = make(nodes=2, nproc=2)
    sim.fault(3, "exit2", at=5)
    sim.up()
    assert sim.ended() == [2, 2]
    assert sim.termination(0)["rank"] == 3
    saw(sim.termination(0)["message"])
