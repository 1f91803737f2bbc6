"""Ranks agree through the store: on values, on decisions, on errors."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from torch.distributed import HashStore, PrefixStore

from rallypoint.errors import InputError
from rallypoint.spec import TrainSpec
from rallypoint_trainer.contract import Contract
from rallypoint_trainer.output import _check_seen
from rallypoint_trainer.world import SpokenError, World

TRAIN = TrainSpec.model_validate({"task": "text-classification", "model": "x", "dataset": {"path": "y"}})


def world(rank: int, nodes: int = 2, local: int = 2, store: HashStore | None = None) -> World:
    contract = Contract("tiny", nodes, local, 0, Path("/nowhere"), TRAIN)
    environ = {
        "RANK": str(rank), "LOCAL_RANK": str(rank % local), "GROUP_RANK": str(rank // local),
        "WORLD_SIZE": str(nodes * local),
    }  # fmt: skip
    made = World(contract, environ)
    made._store = PrefixStore("test", store or HashStore())
    return made


def on_all(act):
    """What `act` returns or raises on each of four ranks, two per node."""
    store, results = HashStore(), [None] * 4

    def run(rank: int) -> None:
        try:
            results[rank] = act(world(rank, store=store))
        except InputError as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    return results


def test_values_are_gathered_by_rank():
    assert on_all(lambda one: one.gathered("x", one.rank * 10)) == [[0, 10, 20, 30]] * 4


def test_a_decision_is_rank_zeros():
    assert on_all(lambda one: one.decided("x", lambda: {"by": one.rank})) == [{"by": 0}] * 4


def test_a_nodes_value_is_its_first_ranks():
    assert on_all(lambda one: one.of_node("x", lambda: f"rank {one.rank}")) == ["rank 0"] * 2 + ["rank 2"] * 2


def test_a_nodes_first_rank_goes_ahead():
    order = []
    on_all(lambda one: one.node_by_node("x", lambda: order.append(one.rank) or "done"))
    assert ({*order[:2]}, {*order[2:]}) == ({0, 2}, {1, 3})


def test_an_error_of_one_rank_is_everybodys_and_spoken_once():
    def act(one: World):
        def fail() -> None:
            if one.rank == 2:
                raise InputError("wrong here")

        return one.together("x", fail)

    errors = on_all(act)
    assert [str(error) for error in errors] == ["wrong here"] * 4
    assert [isinstance(error, SpokenError) for error in errors] == [True, True, False, True]


def test_an_error_of_all_ranks_is_spoken_once():
    def act(one: World):
        def fail() -> None:
            raise InputError("wrong everywhere")

        return one.together("x", fail)

    assert sum(not isinstance(error, SpokenError) for error in on_all(act)) == 1


def test_another_world_than_the_jobs_is_refused():
    contract = Contract("tiny", 3, 1, 0, Path("/nowhere"), TRAIN)
    with pytest.raises(
        InputError, match=r"2 processes were started \(WORLD_SIZE\), the job says 3 nodes x 1 = 3"
    ):
        World(contract, {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "2"})


def test_a_start_without_torchrun_is_refused():
    contract = Contract("tiny", 1, 1, 0, Path("/nowhere"), TRAIN)
    with pytest.raises(InputError, match=r"RANK is not set to a number \(None\)"):
        World(contract, {})


def test_an_output_that_this_node_does_not_see_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"not shared by all nodes \(node 1 does not see"):
        _check_seen(tmp_path / "not-there", world(2), patience_seconds=0)
