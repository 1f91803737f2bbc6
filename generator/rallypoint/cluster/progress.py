"""How far a training is, as node 0's log tells it: the last of the marked JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rallypoint.told import number, told

MARK = "rallypoint: {"
"""How a line with an event begins."""


class Progress(NamedTuple):
    """The last event of each kind, in numbers; None where nothing was said."""

    step: int | None = None
    max_steps: int | None = None
    loss: float | None = None
    samples_per_second: float | None = None
    tokens_per_second: float | None = None
    seconds_left: float | None = None

    def __str__(self) -> str:
        """`step 40/200  loss 0.6100  54.2 samples/s  3:30 left`, as far as it is known."""
        parts = [] if self.step is None else [f"step {self.step}/{self.max_steps or '?'}"]
        if self.loss is not None:
            parts.append(f"loss {self.loss:.4f}")
        if self.tokens_per_second is not None:
            parts.append(f"{self.tokens_per_second:.0f} tokens/s")
        elif self.samples_per_second is not None:
            parts.append(f"{self.samples_per_second:.1f} samples/s")
        if self.seconds_left is not None:
            parts.append(f"{_clock(self.seconds_left)} left")
        return "  ".join(parts)


def progress(lines: Iterable[str]) -> Progress | None:
    """What the last events say together; None when there is none."""
    found: dict[str, Any] = {}
    for line in lines:
        event = _event(line)
        if event.get("event") in ("start", "log"):
            found.update({key: value for key, value in event.items() if value is not None})
    if "step" not in found:
        return None
    step, total = (_whole(found.get(key)) for key in ("step", "max_steps"))
    rest = (number(found.get(key)) for key in Progress._fields[2:])
    return Progress(step, total, *rest)


def _event(line: str) -> dict[str, Any]:
    """The event of a line; empty for another line."""
    return told(line[len(MARK) - 1 :]) if line.startswith(MARK) else {}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and number(value) is not None else None


def _clock(seconds: float) -> str:
    """`0:42`, `3:30` or `1:02:03`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
