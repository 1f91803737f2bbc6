"""Whether to stop, asked of all ranks: cheap enough for every step, soon enough for any grace period."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist

from rallypoint_trainer.stop import Stop

CHECK_SECONDS = 1.0
"""How often the ranks ask one another; much less than any grace period, too seldom to cost."""

MOST_STEPS = 50
"""So that a sudden slow-down cannot make the next question come very late."""


class Question:
    """Asks all ranks, along one loop, whether any has been told to stop."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._countdown = 1
        self._steps = 0
        self._since = time.monotonic()

    def agreed(self) -> bool:
        """Whether to stop; every rank must ask at the same steps, all get the same answer.

        The ranks talk about once a second: the slowest one's pace says after how many steps next.
        """
        self._steps += 1
        self._countdown -= 1
        if self._countdown > 0:
            return False
        now = time.monotonic()
        pace = max((now - self._since) / self._steps, 1e-6)
        word = torch.tensor([float(self._stop.asked), pace], dtype=torch.float64)
        dist.all_reduce(word, op=dist.ReduceOp.MAX)
        self._countdown = steps_until_check(word[1].item())
        self._since, self._steps = now, 0
        return bool(word[0].item())


def steps_until_check(step_seconds: float) -> int:
    """How many steps fit between two questions, at least 1."""
    return max(1, min(MOST_STEPS, int(CHECK_SECONDS / step_seconds)))
