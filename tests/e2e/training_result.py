"""What a training leaves in its output, and when two of them are the same."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOLERANCE = 1e-6
"""Relative. One unit in the last place of a float32 is 6e-8 to 1.2e-7."""

NOT_TIMES = ("loss", "grad_norm", "learning_rate", "epoch")
"""Fields of a log event that do not depend on the machine's speed."""


@dataclass(frozen=True)
class Result:
    events: list[dict[str, Any]]
    metrics: dict[str, Any]

    def logged(self) -> dict[int, dict[str, float]]:
        """Step to the logged numbers."""
        logs = (event for event in self.events if event["event"] == "log")
        return {event["step"]: {name: event[name] for name in NOT_TIMES} for event in logs}

    def losses(self) -> dict[int, float]:
        return {step: numbers["loss"] for step, numbers in self.logged().items()}

    def final(self) -> dict[str, Any]:
        """metrics.json without what a clock has measured."""
        timed = ("seconds", "per_second", "runtime")
        return {name: value for name, value in self.metrics.items() if not name.endswith(timed)}


def events_in(folder: Path) -> list[dict[str, Any]]:
    """The whole lines of events.jsonl; none while there is no file."""
    path = folder / "events.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def result_in(folder: Path) -> Result:
    return Result(events_in(folder), json.loads((folder / "metrics.json").read_text()))


def difference(found: Any, wanted: Any) -> float:
    """The largest relative difference of two results; infinite where they are not alike in shape or text."""
    if isinstance(wanted, dict) and isinstance(found, dict) and wanted.keys() == found.keys():
        return max((difference(found[key], wanted[key]) for key in wanted), default=0.0)
    if isinstance(wanted, int | float) and isinstance(found, int | float):
        return abs(found - wanted) / max(abs(wanted), 1e-30) if found != wanted else 0.0
    return 0.0 if found == wanted else math.inf
