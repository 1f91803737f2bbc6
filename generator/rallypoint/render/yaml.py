"""YAML text that a 1.1 and a 1.2 reader read alike; the same value gives the same bytes.

Refuses what is not text, number, boolean, list or mapping. Not ruamel's writer: that writes for 1.2 alone
(`no` and `12:30` bare), and takes a hundred times as long.
"""

from __future__ import annotations

import json
import re
from typing import Any

_PLAIN = re.compile(r"[A-Za-z/]([-A-Za-z0-9_./:@]*[-A-Za-z0-9_./@])?")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Bare words that YAML 1.1 reads as a boolean or nothing. Source: yaml.org/type/bool.html, null.html."""

_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON leaves as it is and YAML 1.1 refuses or takes for a line's end."""

_UNBLOCKED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What a block scalar cannot hold: it has no escapes."""


def quote(text: str) -> str:
    """`text` in double quotes, as YAML 1.1 and 1.2 both read it.

    Raises: TypeError for anything but text, so that None never becomes a word.
    """
    if not isinstance(text, str):
        raise TypeError(f"only text can be quoted (got {text!r})")
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def to_yaml(value: Any, blocks: bool = False) -> str:
    """`value` in block style, no newline at its end; with `blocks`, several lines as block scalars."""
    return "\n".join(_lines(value, blocks))


def _lines(value: Any, blocks: bool) -> list[str]:
    if isinstance(value, dict) and value:
        return [line for key, item in value.items() for line in _entry(key, item, blocks)]
    if isinstance(value, list | tuple) and value:
        return [line for item in value for line in _item(_lines(item, blocks))]
    if blocks and isinstance(value, str) and _fits_a_block(value):
        return _block(value)
    return [_scalar(value)]


def _entry(key: str, value: Any, blocks: bool) -> list[str]:
    first, *rest = _lines(value, blocks)
    if isinstance(value, dict | list | tuple) and value:
        return [f"{_text(key)}:", *_deeper([first, *rest])]
    return [f"{_text(key)}: {first}", *rest]


def _item(lines: list[str]) -> list[str]:
    return [f"- {lines[0]}", *_deeper(lines[1:])]


def _deeper(lines: list[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def _fits_a_block(text: str) -> bool:
    """Whether the text has several lines, none with what only an escape can write."""
    return "\n" in text[:-1] and text[0] not in " \t\n" and not _UNBLOCKED.search(text)


def _block(text: str) -> list[str]:
    """A literal block scalar; the sign after `|` says how many newlines the text ends with."""
    if not text.endswith("\n"):
        return ["|-", *_deeper(text.split("\n"))]
    return ["|+" if text.endswith("\n\n") else "|", *_deeper(text.split("\n")[:-1])]


def _scalar(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case None:
            return "null"
        case str():
            return _text(value)
        case dict():
            return "{}"
        case list() | tuple():
            return "[]"
    raise TypeError(f"YAML has no {type(value).__name__} (got {value!r})")


def _float(value: float) -> str:
    """With a point in it, without which YAML 1.1 takes `1e-05` for text."""
    text = repr(float(value))
    return text.replace("e", ".0e") if "." not in text else text


def _text(text: str) -> str:
    """`text` bare where both versions read it as text, else quoted."""
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else quote(text)
