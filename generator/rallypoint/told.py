"""What a program told in JSON: read so that no program can bring down who reads it."""

from __future__ import annotations

import json
import math
from typing import Any

LARGEST = 1e15
"""Beyond it nothing that a training counts makes sense."""


def told(text: str) -> dict[str, Any]:
    """The JSON object in a text from elsewhere; empty for any other text.

    NaN and numbers beyond a float's range, which are not JSON for everybody, are None.
    """
    try:
        found = json.loads(text, parse_float=_finite, parse_constant=lambda _: None)
    except (ValueError, RecursionError):  # the latter: deeper than anything that was meant
        return {}
    return found if isinstance(found, dict) else {}


def number(value: object) -> float | None:
    """The value as a number that fits into a line; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        return None
    return float(value)


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None
