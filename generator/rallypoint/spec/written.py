"""Numbers that remember how they were written: `1.10` stays `1.10` where text is meant.

Refuses to be text itself: where a number is meant they are plain int and float.
"""

from __future__ import annotations

from typing import Any


class WrittenInt(int):
    """An integer with its spelling in the file."""

    written: str

    def __new__(cls, value: int, written: str = "") -> WrittenInt:
        """`value`, spelled `written`."""
        number = super().__new__(cls, value)
        number.written = written
        return number


class WrittenFloat(float):
    """A number with a fraction or exponent, with its spelling in the file."""

    written: str

    def __new__(cls, value: float, written: str = "") -> WrittenFloat:
        """`value`, spelled `written`."""
        number = super().__new__(cls, value)
        number.written = written
        return number


def spelling(value: bool | int | float) -> str:
    """The number or boolean as the file has it; one that came from Python as YAML would print it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return getattr(value, "written", "") or str(value)


def shown(value: Any) -> str:
    """The value as a message shows it: text in quotes, numbers as written, maps and lists by their size."""
    if value is None:
        return "null"
    if isinstance(value, bool | int | float):
        return spelling(value)[:80]
    if isinstance(value, str):
        return repr(value if len(value) <= 80 else value[:77] + "...")
    if isinstance(value, dict):
        return "a map of " + (", ".join(map(str, list(value)[:5])) or "nothing")
    return f"a list of {len(value)}"
