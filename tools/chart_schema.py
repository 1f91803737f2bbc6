"""The schema of the chart's values, from the job's own."""

from __future__ import annotations

from typing import Any

from rallypoint.spec import KINDS
from rallypoint.spec.schema import json_schema
from rallypoint.spec.training import rules as training
from rallypoint.spec.training.old import CONVERTED, GONE, RENAMED
from rallypoint.spec.training.table import OWNED


def values_schema() -> dict[str, Any]:
    """The job's schema for what helm makes of YAML 1.1, and with `global` from a parent chart."""
    schema: dict[str, Any] = _closed(json_schema())
    schema["title"] = "Values of the rallypoint chart"
    del schema["required"], schema["oneOf"]  # the name may be the release's; train and script: a rule says it
    letters = ("".join(f"[{letter}{letter.upper()}]" for letter in kind) for kind in KINDS)
    schema["properties"]["kind"] = {
        "description": schema["properties"]["kind"]["description"],
        "type": "string",
        "pattern": f"^({'|'.join(letters)})$",
        "default": "job",
    }
    schema["properties"]["global"] = {"description": "A parent chart's; not read.", "type": "object"}
    arguments = schema["$defs"]["TrainSpec"]["properties"]["training_args"]["properties"]
    for old, today in RENAMED.items():
        arguments[old] = {**arguments[today], "deprecated": True}
    for name in [*OWNED, *GONE]:
        arguments[name] = {"description": "Not for a job; the templates say why."}
    for name, bounds in _bounds().items():
        arguments[name] = {**arguments.get(name, {}), **bounds}
    return schema


def _closed(value: Any) -> Any:
    """The schema without titles, and with maps that take no key beside those of their pattern."""
    if isinstance(value, list):
        return [_closed(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _closed(item) for key, item in value.items() if not (key == "title" and isinstance(item, str))
    }
    if isinstance(kept.get("patternProperties"), dict) and "properties" not in kept:
        kept["additionalProperties"] = False
    return kept


def _bounds() -> dict[str, dict[str, Any]]:
    """The range of each training argument that has one, old names too."""
    found: dict[str, dict[str, Any]] = {
        "warmup_ratio": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
        **{name: {"type": "boolean"} for name in CONVERTED if name != "warmup_ratio"},
        "max_steps": {"anyOf": [{"minimum": 1}, {"const": -1}]},
    }
    for names, bound in (
        (training.ABOVE_ZERO, {"exclusiveMinimum": 0}),
        (training.AT_LEAST_ZERO, {"minimum": 0}),
        (training.AT_LEAST_ONE, {"minimum": 1}),
        (training.BELOW_ONE, {"minimum": 0, "exclusiveMaximum": 1}),
        (training.STEPS, {"anyOf": [{"type": "null"}, {"maximum": 1}, {"multipleOf": 1}]}),
    ):
        for name in names:
            found[name] = {**found.get(name, {}), **bound}
    return found
