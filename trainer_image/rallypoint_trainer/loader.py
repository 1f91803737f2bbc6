"""Batches of one rank, in the order of the plan; nothing re-shards them.

Refuses accelerate's preparation of loaders: it would repeat samples to make the last batch even.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader

from rallypoint_trainer.plan import Indices, Plan
from rallypoint_trainer.stop import deaf


class RankBatches:
    """The batch sampler of one rank."""

    def __init__(self, plan: Plan, rank: int, order: Callable[[int], Indices]) -> None:
        self._plan = plan
        self._rank = rank
        self._order = order
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """The epoch that the next iteration goes through; the Trainer calls it, after a resume too."""
        self._epoch = epoch

    def __len__(self) -> int:
        return self._plan.micro_batches

    def __iter__(self) -> Iterator[list[int]]:
        return self._plan.batches(self._order(self._epoch), self._rank)


class RankLoader(DataLoader[Any]):
    """A DataLoader that passes the epoch on to its batch sampler."""

    def set_epoch(self, epoch: int) -> None:
        """Called by the Trainer at the start of each epoch."""
        batches = self.batch_sampler
        assert isinstance(batches, RankBatches)
        batches.set_epoch(epoch)


def rank_loader(
    dataset: Any, batches: RankBatches, collator: Callable[[Any], Any], arguments: Any, seed: int
) -> RankLoader:
    """The loader of one rank, with the job's `dataloader_*` arguments.

    It has a random generator of its own: a loader that draws from the global one would change dropout.
    """
    workers = arguments.dataloader_num_workers
    return RankLoader(
        dataset,
        batch_sampler=batches,
        collate_fn=collator,
        num_workers=workers,
        pin_memory=arguments.dataloader_pin_memory,
        persistent_workers=arguments.dataloader_persistent_workers and workers > 0,
        prefetch_factor=arguments.dataloader_prefetch_factor,
        multiprocessing_context=arguments.dataloader_multiprocessing_context if workers else None,
        worker_init_fn=deaf,
        generator=torch.Generator().manual_seed(seed),
    )
