"""What a bare scalar means in YAML 1.2, and whether YAML 1.1 (helm, PyYAML) reads another value.

Source: YAML 1.2.2, section 10.3.2 (core schema); yaml.org/type (1.1); go-yaml v2 resolve.go, which helm uses.
"""

from __future__ import annotations

import math
import re
from typing import Any

from rallypoint.spec.written import WrittenFloat, WrittenInt

_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}
_TRUE_1_1 = {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"}
_FALSE_1_1 = {"n", "N", "no", "No", "NO", "off", "Off", "OFF"}
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_OCTAL = re.compile(r"[-+]?0o?[0-9_]+")
_OTHER_BASE = re.compile(r"[-+]0x[0-9a-fA-F_]+|[-+]?0b[01_]+|0x[0-9a-fA-F]*_[0-9a-fA-F_]*")
_UNDERSCORED = re.compile(
    r"[-+]?[0-9.][0-9_]*_[0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|[-+]?[0-9]+\.[0-9]*_[0-9_]*"
)
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")
LONGEST_INTEGER = 18
"""Digits that every reader keeps exactly: helm turns longer ones into floats."""
LONGEST_NUMBER = 64
"""Letters of anything that a reader could take for a number on purpose."""


def scalar(text: str) -> tuple[Any, str]:
    """The value of a bare scalar, and in words what YAML 1.1 reads instead; empty when both agree."""
    if text in _NULL:
        return None, ""
    if text in _TRUE or text in _FALSE:
        return (text in _TRUE, "")
    if text in _TRUE_1_1 or text in _FALSE_1_1:
        return text, "true" if text in _TRUE_1_1 else "false"
    return _number(text) if text[0] in "+-.0123456789" else (text, "")


def _number(text: str) -> tuple[Any, str]:
    """The same for a scalar that begins as a number does."""
    if len(text) > LONGEST_NUMBER:  # the patterns below would need the square of its length
        return text, "a rounded number" if set(text) <= set("0123456789_.+-eE:xob") else ""
    if _INT.fullmatch(text):
        if len(text.lstrip("+-")) > LONGEST_INTEGER:
            return text, "a rounded number"
        return WrittenInt(int(text), text), ""
    if _HEX.fullmatch(text):
        return (
            (WrittenInt(int(text, 16), text), "") if len(text) <= LONGEST_INTEGER - 2 else (text, "a number")
        )
    if _OCTAL.fullmatch(text):
        return text, _octal(text)
    if _SPECIAL.fullmatch(text):
        return WrittenFloat(float(text.lower().replace(".", "", 1)), text), ""
    if _FLOAT.fullmatch(text):
        value = float(text)
        return (WrittenFloat(value, text), "") if math.isfinite(value) else (text, "text")
    if _OTHER_BASE.fullmatch(text) or _UNDERSCORED.fullmatch(text) or _SEXAGESIMAL.fullmatch(text):
        return text, "a number"
    return text, ""


def _octal(text: str) -> str:
    """What YAML 1.1 makes of a number with leading zeros."""
    digits = text.replace("_", "").replace("o", "")
    return "a number" if set(digits) & set("89") else f"the octal number {int(digits[:20], 8)}"
