"""SIGTERM: one rank hears it, all ranks stop at the same step with a checkpoint.

Before training there is nothing to save, so the process leaves at once; after it, the end is near and
comes first.
"""

from __future__ import annotations

import os
import signal
import time
from types import FrameType

import torch
import torch.distributed as dist

EXIT_CODE = 143
"""128 + SIGTERM: stopped for outside reasons, start me again."""

CHECK_SECONDS = 1.0
"""How often the ranks ask one another; much less than any grace period, too seldom to cost."""

MOST_STEPS = 50
"""So that a sudden slow-down cannot make the next question come very late."""


class Stopped(Exception):
    """All ranks have agreed to stop inside an evaluation."""


class Stop:
    """Whether this process has been told to stop."""

    def __init__(self) -> None:
        self.asked = False
        self._at_once = True

    def listen(self) -> None:
        """Takes over SIGTERM and SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hear)

    def training(self) -> None:
        """From now on a signal is only remembered; the steps ask for it."""
        self._at_once = False

    def finishing(self) -> None:
        """From now on signals are left alone: the result is being written."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """The signal handler."""
        self.asked = True
        if self._at_once:
            os._exit(EXIT_CODE)


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


def deaf(worker: int) -> None:
    """Makes a loader worker ignore SIGTERM: it ends with its rank, which still needs it for the last step."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
