"""How fast training goes: samples and tokens per second of training, time left.

Evaluations and saves do not count as training time; they do count for the time left.
"""

from __future__ import annotations

import time


class Pace:
    """Counters of this rank since the last log event, and of the whole run."""

    def __init__(self) -> None:
        self.seconds_before = 0.0
        """Training time before a resume."""
        self._seconds = 0.0
        self._logged_seconds = 0.0
        self._mark = 0.0
        self._samples = 0
        self._tokens = 0
        self._began = time.monotonic()

    def begin(self) -> None:
        """Training begins now; loading and compiling before it do not count."""
        self._began = time.monotonic()

    def step_begins(self) -> None:
        """A step's data is about to be fetched."""
        self._mark = time.monotonic()

    def step_ends(self, samples: int, tokens: int) -> None:
        """A step is done: `samples` of all ranks, `tokens` of this one without padding."""
        self._seconds += time.monotonic() - self._mark
        self._samples += samples
        self._tokens += tokens

    @property
    def seconds(self) -> float:
        """Training time of the whole run, before a resume too."""
        return self.seconds_before + self._seconds

    def interval(self) -> tuple[float, int, int]:
        """Seconds, samples of all ranks and tokens of this rank since the last call."""
        result = self._seconds - self._logged_seconds, self._samples, self._tokens
        self._logged_seconds, self._samples, self._tokens = self._seconds, 0, 0
        return result

    def seconds_left(self, steps_done: int, steps_left: int) -> float:
        """What the rest takes at this run's average; `steps_done` since it began or resumed."""
        return (time.monotonic() - self._began) / max(steps_done, 1) * steps_left


def rate(count: float, seconds: float) -> float:
    """`count` per second, with one decimal; 0 when no time has passed."""
    return round(count / seconds, 1) if seconds > 0 else 0.0
