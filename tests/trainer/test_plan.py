"""Which sample goes where: every one once, shared evenly, the same after a resume."""

from __future__ import annotations

import numpy as np
import pytest

from rallypoint_trainer.plan import Plan, epoch_order, even_shares

LENGTHS = np.random.default_rng(0).integers(3, 60, 3668)
STRATEGIES = ["random", "sequential", "group_by_length", "batch_rebalance"]


def seen(plan: Plan, order: np.ndarray) -> list[int]:
    """The samples of all ranks in one epoch, fillers left out."""
    result = []
    for rank in range(plan.world_size):
        sizes = [size for step in range(plan.steps) for size in plan.sizes(step, rank)]
        for size, batch in zip(sizes, plan.batches(order, rank), strict=True):
            assert len(batch) == max(size, 1)
            result += batch if size else []
    return sorted(result)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("epoch", [0, 1, 2])
def test_every_sample_of_mrpc_is_seen_once_per_epoch(strategy, epoch):
    plan = Plan(3668, world_size=3, batch_size=16)
    assert seen(plan, epoch_order(plan, strategy, LENGTHS, 42, epoch)) == list(range(3668))


@pytest.mark.parametrize("samples", [1, 2, 5, 23, 24, 25, 47, 48, 49, 96, 97, 100])
@pytest.mark.parametrize(
    ("world", "batch", "accumulation"), [(1, 4, 1), (3, 1, 1), (3, 1, 4), (4, 2, 3), (12, 4, 2)]
)
def test_every_sample_is_seen_once_at_any_size(samples, world, batch, accumulation):
    plan = Plan(samples, world, batch, accumulation)
    order = epoch_order(plan, "group_by_length", LENGTHS[:samples], 1, 0)
    assert seen(plan, order) == list(range(samples))


def test_the_tail_of_mrpc_is_shared_seven_seven_six():
    plan = Plan(3668, world_size=3, batch_size=16)
    assert [plan.sizes(plan.steps - 1, rank) for rank in range(3)] == [[7], [7], [6]]


def test_the_tail_takes_as_many_micro_batches_on_every_rank():
    plan = Plan(13, world_size=3, batch_size=2, accumulation=4)
    assert [plan.sizes(0, rank) for rank in range(3)] == [[2, 2, 1], [2, 1, 1], [2, 1, 1]]


def test_fewer_samples_than_ranks_leave_fillers():
    plan = Plan(2, world_size=4, batch_size=8)
    assert [plan.sizes(0, rank) for rank in range(4)] == [[1], [1], [0], [0]]


def test_the_trainer_counts_the_same_steps():
    plan = Plan(3668, world_size=3, batch_size=4, accumulation=4)
    assert (plan.steps, -(-plan.micro_batches // 4)) == (77, 77)


def test_dropping_the_tail_leaves_whole_steps():
    plan = Plan(3668, world_size=3, batch_size=16, drop_last=True)
    assert (plan.steps, plan.tail) == (76, 0)


def test_shares_differ_by_one_at_most():
    assert even_shares(20, 3) == [7, 7, 6]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_depends_on_seed_and_epoch_alone(strategy):
    plan = Plan(200, 2, 4)
    again = [epoch_order(plan, strategy, LENGTHS[:200], 7, 3) for _ in range(2)]
    assert (again[0] == again[1]).all()


def test_epochs_differ():
    plan = Plan(200, 2, 4)
    first, second = (epoch_order(plan, "group_by_length", LENGTHS[:200], 7, epoch) for epoch in (0, 1))
    assert (first != second).any()


@pytest.mark.parametrize("world", [1, 2, 4])
def test_a_step_holds_the_same_samples_in_any_world(world):
    plan = Plan(100, world, 8 // world)
    order = epoch_order(plan, "group_by_length", LENGTHS[:100], 7, 0)
    step = {
        int(one) for rank in range(world) for begin, end in plan.pieces(3, rank) for one in order[begin:end]
    }
    alone = Plan(100, 1, 8)
    assert step == set(epoch_order(alone, "group_by_length", LENGTHS[:100], 7, 0)[24:32].tolist())


def test_length_grouping_needs_less_padding():
    plan = Plan(3668, 3, 16)

    def padding(strategy: str) -> float:
        batches = list(plan.batches(epoch_order(plan, strategy, LENGTHS, 42, 0), 0))
        padded = sum(len(batch) * LENGTHS[batch].max() for batch in batches)
        return 1 - sum(LENGTHS[batch].sum() for batch in batches) / padded

    assert padding("group_by_length") < padding("random") / 5


def test_the_longest_sample_comes_in_the_first_step():
    plan = Plan(3668, 3, 16)
    order = epoch_order(plan, "group_by_length", LENGTHS, 42, 0)
    assert LENGTHS[order[:48]].max() == LENGTHS.max()
