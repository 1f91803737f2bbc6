"""The spec as JSON Schema, for editors and for the chart's values.

Refuses to hold what a schema cannot say: rules between fields are in `rules`.
"""

from __future__ import annotations

from typing import Any

from rallypoint.spec.job import Job
from rallypoint.spec.training.old import CONVERTED, RENAMED
from rallypoint.spec.training.table import OWNED, STRATEGIES, TRAINING_ARGS, VERSION, Argument

_TYPES = {
    "int": "integer", "float": "number", "bool": "boolean", "str": "string", "list": "array",
    "dict": "object", "null": "null",
}  # fmt: skip


def json_schema() -> dict[str, Any]:
    """The schema of a job file: each field with its meaning, no unknown keys, numbers where text is meant."""
    schema = Job.model_json_schema()
    schema["$defs"]["TrainSpec"]["properties"]["training_args"] = _training_args()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Rallypoint job",
        "oneOf": [{"required": ["train"]}, {"required": ["script"]}],
    }


def _training_args() -> dict[str, Any]:
    """The arguments of the pinned transformers that a job file may give, old names as deprecated."""
    properties = {name: _argument(name, item) for name, item in TRAINING_ARGS.items() if name not in OWNED}
    for name, new in [*RENAMED.items(), *((old, today) for old, (today, _change) in CONVERTED.items())]:
        properties[name] = {"deprecated": True, "description": f"Old name; today {new}."}
    return {
        "title": "Training Args",
        "description": f"Arguments of transformers.TrainingArguments {VERSION}.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "default": {},
    }


def _argument(name: str, argument: Argument) -> dict[str, Any]:
    """One argument's schema."""
    schema: dict[str, Any] = {"description": argument.help, "default": argument.default}
    if argument.choices:
        allowed: list[Any] = [*argument.choices]
        allowed += [False] if name in STRATEGIES else []  # a bare `no`, as YAML 1.1 reads it
        allowed += [None] if "null" in argument.types else []
        return {**schema, "enum": allowed}
    return {**schema, "type": [_TYPES[kind] for kind in argument.types if kind in _TYPES]}
