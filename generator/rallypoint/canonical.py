"""JSON in one spelling only: two documents that mean the same are the same text.

The spelling is that of Go's encoding/json without escapes for HTML, which is helm's `toRawJson`, so that the
chart gets the same text. Source: Go 1.25, encoding/json, "Marshal" and floatEncoder.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def canonical(value: Any) -> str:
    """A JSON value as text: keys sorted, no spaces, a whole number without a fraction (3.0 is 3)."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    return _number(value) if isinstance(value, float) else json.dumps(value)


def _text(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _number(value: float) -> str:
    """The shortest digits that mean `value`, with an exponent below 1e-6 and from 1e21 on."""
    if value and not 1e-6 <= abs(value) < 1e21:
        return repr(value).replace("e-0", "e-")
    digits = format(Decimal(repr(value)), "f")
    return digits.removesuffix(".0")
