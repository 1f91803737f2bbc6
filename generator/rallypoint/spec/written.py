"""Numbers that remember how they were written: `1.10` stays `1.10` where text is meant.

Refuses to be text itself: where a number is meant they are plain int and float.
"""

from __future__ import annotations


class WrittenInt(int):
    """An integer with its spelling in the file."""

    written: str

    def __new__(cls, value: int, written: str) -> WrittenInt:
        """`value`, spelled `written`."""
        number = super().__new__(cls, value)
        number.written = written
        return number


class WrittenFloat(float):
    """A number with a fraction or exponent, with its spelling in the file."""

    written: str

    def __new__(cls, value: float, written: str) -> WrittenFloat:
        """`value`, spelled `written`."""
        number = super().__new__(cls, value)
        number.written = written
        return number


def spelling(value: bool | int | float) -> str:
    """The number or boolean as the file has it; one that came from Python as YAML would print it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.written if isinstance(value, WrittenInt | WrittenFloat) else str(value)
