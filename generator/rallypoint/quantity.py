"""Kubernetes quantities and the spec's durations, as numbers.

Refuses to round: a quantity is an exact Decimal.
Source: Kubernetes docs 1.34, "Quantity" (apimachinery resource.Quantity).
"""

from __future__ import annotations

import re
from decimal import Decimal

_SUFFIXES = {
    "": Decimal(1),
    "n": Decimal(10) ** -9,
    "u": Decimal(10) ** -6,
    "m": Decimal(10) ** -3,
    **{
        suffix: Decimal(1000) ** power for power, suffix in enumerate(["k", "M", "G", "T", "P", "E"], start=1)
    },
    **{suffix + "i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", start=1)},
}
QUANTITY_PATTERN = r"^([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2}|[numkMGTPE]|[KMGTPE]i)?$"
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,2})|([numkMGTPE]|[KMGTPE]i))?")

DURATION_PATTERN = r"^[1-9][0-9]{0,8}[smhd]$"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def quantity(text: str) -> Decimal:
    """The number that `text` stands for: `500m` is 0.5, `1Gi` is 1073741824.

    Raises: ValueError when `text` is no quantity.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(text)
    number, exponent, suffix = match.groups()
    return Decimal(number) * (Decimal(10) ** int(exponent) if exponent else _SUFFIXES[suffix or ""])


def seconds(duration: str) -> int:
    """`90s`, `15m`, `24h` or `1d` as seconds.

    Raises: ValueError when `duration` is not one integer and a unit.
    """
    if re.fullmatch(DURATION_PATTERN, duration) is None:
        raise ValueError(duration)
    return int(duration[:-1]) * _SECONDS[duration[-1]]
