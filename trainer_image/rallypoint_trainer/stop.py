"""SIGTERM: one rank hears it, all ranks stop at the same step with a checkpoint.

Before training there is nothing to save, so the process leaves at once; after it, the end is near and
comes first.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

EXIT_CODE = 143
"""128 + SIGTERM: stopped for outside reasons, start me again."""


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


def deaf(worker: int) -> None:
    """Makes a loader worker ignore SIGTERM: it ends with its rank, which still needs it for the last step."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
