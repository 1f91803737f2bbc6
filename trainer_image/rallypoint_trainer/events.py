"""What happened, one JSON object per line: on rank 0's stdout with a mark, and in `<output>/events.jsonl`.

Refuses to write from any rank but 0, so nothing is doubled.
"""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

MARK = "rallypoint: "
FILE = "events.jsonl"
OF_A_STEP = ("log", "eval", "save")
"""Events that belong to a step, and go when training goes back to before it."""


class Events:
    """The writer; silent unless `speaks`."""

    def __init__(self, output: Path, speaks: bool) -> None:
        self._path = output / FILE
        self._speaks = speaks

    def say(self, event: str, **fields: Any) -> None:
        """Prints and appends one event; numbers that JSON cannot hold become null."""
        if not self._speaks:
            return
        line = json.dumps(plain({"event": event, **fields}), ensure_ascii=False)
        sys.stdout.write(f"{MARK}{line}\n")
        sys.stdout.flush()
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def notice(self, text: str) -> None:
        """Says something in words that the user should know."""
        self.say("notice", text=text)

    def rewind(self, step: int) -> None:
        """Drops what lies beyond `step`: it is about to happen again."""
        if not self._speaks or not self._path.exists():
            return
        lines = kept(self._path.read_text(encoding="utf-8", errors="replace").splitlines(), step)
        aside = self._path.with_name(f".{FILE}.{os.getpid()}")
        aside.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        aside.replace(self._path)


def kept(lines: list[str], step: int) -> list[str]:
    """The lines without events of steps after `step`, and without a line that was cut off by a kill."""
    result = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("event") not in OF_A_STEP or event.get("step", 0) <= step:
            result.append(line)
    return result


def plain(value: Any) -> Any:
    """`value` with not-a-number and infinities as None, which JSON has no word for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value
