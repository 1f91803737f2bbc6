"""Pydantic's errors in our words: what is wrong (the value); what to do.

Refuses to pass pydantic's own sentences on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rallypoint.loading.suggestions import near, unknown_key
from rallypoint.loading.tree import Path
from rallypoint.spec.fields import fields_at
from rallypoint.spec.written import shown, spelling


def _expected(what: str, advice: str) -> Callable[[Path, dict[str, Any]], str]:
    """`must be <what> (got ...); <advice>`, and one sentence for all nulls."""

    def wording(_path: Path, error: dict[str, Any]) -> str:
        if error["input"] is None:
            return f"has no value (null); give {what} or remove the key"
        return f"must be {what} (got {shown(error['input'])}); {advice}"

    return wording


def _text(_path: Path, error: dict[str, Any]) -> str:
    value = error["input"]
    if value is None:
        return "has no value (null); give text or remove the key"
    if isinstance(value, bool | int | float):
        return f"must be text (got {shown(value)}); quote it: '{spelling(value)[:80]}'"
    return f"must be text (got {shown(value)}); write one text"


def _whole_number(path: Path, error: dict[str, Any]) -> str:
    value = error["input"]
    if path == ("nodes",) and isinstance(value, dict):
        return (
            f"elastic node counts are not supported (got {shown(value)}), because a changing world changes "
            "the Trainer's batch; write one number"
        )
    if path == ("nproc_per_node",) and isinstance(value, str):
        return f"must be a whole number (got {shown(value)}); leave it out for one process per GPU"
    advice = "write digits without quotes" if isinstance(value, str) else "write one whole number"
    return _expected("a whole number", advice)(path, error)


def _missing(path: Path, _error: dict[str, Any]) -> str:
    field = fields_at(path[:-1]).get(str(path[-1]))
    meaning = (field.description or "").split(". ")[0].rstrip(".") if field else ""
    return f"is missing ({meaning[:1].lower()}{meaning[1:]}); add it" if meaning else "is missing; add it"


def _one_of(_path: Path, error: dict[str, Any]) -> str:
    if error["ctx"]["expected"] == "False":
        return f"must be a size or false (got {shown(error['input'])}); remove the key for the usual size"
    choices = [part.strip().strip("'") for part in error["ctx"]["expected"].replace(" or ", ", ").split(",")]
    value = error["input"]
    if value is None:
        return f"has no value (null); choose from {', '.join(choices)} or remove the key"
    guess = near(value, choices) if isinstance(value, str) else None
    advice = f"did you mean '{guess}'?" if guess and len(choices) > 1 else "choose one"
    if len(choices) == 1:
        return f"must be {choices[0]} (got {shown(value)}); nothing else is supported here yet"
    return f"must be one of {', '.join(choices)} (got {shown(value)}); {advice}"


def _bound(key: str, words: str) -> Callable[[Path, dict[str, Any]], str]:
    def wording(_path: Path, error: dict[str, Any]) -> str:
        return f"must be {error['ctx'][key]} or {words} (got {shown(error['input'])})"

    return wording


def _items(key: str, words: str) -> Callable[[Path, dict[str, Any]], str]:
    def wording(_path: Path, error: dict[str, Any]) -> str:
        count = error["ctx"][key]
        noun = "item" if count == 1 else "items"
        return f"must have {words} {count} {noun} (got {len(error['input'])})"

    return wording


def _own(_path: Path, error: dict[str, Any]) -> str:
    """The sentence of one of our own validators."""
    return str(error["ctx"]["error"])


WORDINGS: dict[str, Callable[[Path, dict[str, Any]], str]] = {
    "missing": _missing,
    "extra_forbidden": lambda path, _error: unknown_key(path),
    "string_type": _text,
    "string_too_short": lambda _path, _error: "must not be empty (got ''); give text or remove the key",
    "int_type": _whole_number,
    "int_from_float": _whole_number,
    "bool_type": _expected("true or false", "write one of them, without quotes"),
    "dict_type": _expected("a map", "write 'key: value' lines below it"),
    "model_type": _expected("a map of fields", "write 'field: value' lines below it"),
    "list_type": _expected("a list", "put it into brackets: [...]"),
    "literal_error": _one_of,
    "greater_than_equal": _bound("ge", "more"),
    "less_than_equal": _bound("le", "less"),
    "too_short": _items("min_length", "at least"),
    "too_long": _items("max_length", "at most"),
    "value_error": _own,
    "inside": lambda _path, error: str(error["ctx"]["text"]),
}
"""One wording for every error type that the spec's models can raise; a test holds it complete."""


def wording(path: Path, error: dict[str, Any]) -> str:
    """What is wrong at `path`, in our words."""
    return WORDINGS[error["type"]](path, error)
