"""Which sample goes to which rank, when: pure arithmetic, the same on every rank and after every resume.

One epoch is the whole data set in an order that depends on seed and epoch alone, cut into steps.
Legend: a step is one optimizer step over one global batch, a micro-batch what one rank passes through the
model at once. Refuses to repeat or to drop a sample (unless `drop_last`); a rank without work in the last
step gets a filler that weighs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

MEGA_BATCHES = 50
"""Length grouping sorts within this many global batches, as transformers' LengthGroupedSampler does."""


@dataclass(frozen=True)
class Plan:
    """How `samples` are cut into steps, micro-batches and ranks."""

    samples: int
    world_size: int
    batch_size: int
    """Per rank and micro-batch."""
    accumulation: int = 1
    """Micro-batches per step."""
    drop_last: bool = False

    @property
    def global_batch(self) -> int:
        """Samples in one full step: `world_size * batch_size * accumulation`."""
        return self.world_size * self.batch_size * self.accumulation

    @property
    def full_steps(self) -> int:
        """Steps of a whole global batch."""
        return self.samples // self.global_batch

    @property
    def tail(self) -> int:
        """Samples in the last, smaller step; 0 when there is none."""
        return 0 if self.drop_last else self.samples % self.global_batch

    @property
    def steps(self) -> int:
        """Steps in one epoch."""
        return self.full_steps + (self.tail > 0)

    @property
    def tail_micro_batches(self) -> int:
        """Micro-batches in the last step: as many as the fullest rank needs, on every rank."""
        largest = -(-self.tail // self.world_size)
        return -(-largest // self.batch_size)

    @property
    def micro_batches(self) -> int:
        """Micro-batches of one rank in one epoch, equal on all ranks."""
        return self.full_steps * self.accumulation + self.tail_micro_batches

    def samples_in(self, step: int) -> int:
        """Samples of all ranks in step `step` of an epoch."""
        return self.global_batch if step < self.full_steps else self.tail

    def pieces(self, step: int, rank: int) -> list[tuple[int, int]]:
        """Where the micro-batches of `rank` in `step` begin and end in the epoch's order; empty for a filler.

        Consecutive, so that under length grouping like lengths sit together.
        """
        start = step * self.global_batch
        if step < self.full_steps:
            row = self.world_size * self.batch_size
            firsts = [start + micro * row + rank * self.batch_size for micro in range(self.accumulation)]
            return [(first, first + self.batch_size) for first in firsts]
        shares = even_shares(self.tail, self.world_size)
        first = start + sum(shares[:rank])
        pieces = []
        for size in even_shares(shares[rank], self.tail_micro_batches):
            pieces.append((first, first + size))
            first += size
        return pieces

    def sizes(self, step: int, rank: int) -> list[int]:
        """Samples in each micro-batch of `rank` in `step`; 0 for a filler."""
        return [end - begin for begin, end in self.pieces(step, rank)]

    def batches(self, order: Indices, rank: int) -> Iterator[list[int]]:
        """The sample numbers of each micro-batch of `rank` in one epoch; a filler is the "
        "step's first sample.
        """
        for step in range(self.steps):
            filler = order[step * self.global_batch]
            for begin, end in self.pieces(step, rank):
                yield [int(one) for one in order[begin:end]] if end > begin else [int(filler)]


def even_shares(total: int, parts: int) -> list[int]:
    """`total` in `parts` whole shares that differ by at most one, larger ones first: 20 over 3 is 7, 7, 6."""
    return [total // parts + (part < total % parts) for part in range(parts)]


def epoch_order(plan: Plan, strategy: str, lengths: Indices, seed: int, epoch: int) -> Indices:
    """The order of all samples in `epoch`; the same for the same arguments, on any rank."""
    if strategy == "sequential":
        return np.arange(plan.samples, dtype=np.int64)
    random = np.random.default_rng([seed, epoch])
    order: Indices = random.permutation(plan.samples).astype(np.int64)
    if strategy == "group_by_length":
        return _grouped(order, plan, lengths, random, MEGA_BATCHES)
    if strategy == "batch_rebalance":
        return _grouped(order, plan, lengths, random, 1)
    return order


def _grouped(
    order: Indices, plan: Plan, lengths: Indices, random: np.random.Generator, mega_batches: int
) -> Indices:
    """`order` with like lengths in one global batch; batches stay in random order, the longest comes first.

    First, so that a batch too large for the memory shows at once and not after hours.
    """
    full = plan.full_steps * plan.global_batch
    if full == 0:
        return _longest_first(order, lengths)
    span = mega_batches * plan.global_batch
    mega = [_longest_first(order[at : at + span][: full - at], lengths) for at in range(0, full, span)]
    batches = np.concatenate(mega).reshape(plan.full_steps, plan.global_batch)
    batches = batches[random.permutation(plan.full_steps)]
    longest = int(lengths[batches].max(axis=1).argmax())
    batches[[0, longest]] = batches[[longest, 0]]
    return np.concatenate([batches.reshape(-1), _longest_first(order[full:], lengths)])


def _longest_first(order: Indices, lengths: Indices) -> Indices:
    """`order` by falling length; equal lengths keep their order."""
    return order[np.argsort(-lengths[order], kind="stable")]
