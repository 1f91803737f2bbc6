"""Writes generator/rallypoint/spec/training/arguments.json from the installed transformers.

python tools/training_args.py           writes it
python tools/training_args.py --check   ends with 1 when it differs
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import json
import sys
import types
import typing
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent.parent / "generator" / "rallypoint" / "spec" / "training" / "arguments.json"
_NAMES = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "str",
    dict: "dict",
    list: "list",
    types.NoneType: "null",
}


def kinds(hint: Any) -> set[str]:
    """The YAML types that a type hint allows; a class that YAML cannot write is `object`."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return {kind for argument in typing.get_args(hint) for kind in kinds(argument)}
    if origin is typing.Literal:
        return {_NAMES[type(value)] for value in typing.get_args(hint)}
    plain = origin or hint
    if isinstance(plain, type) and issubclass(plain, enum.Enum):
        return {"str"}
    return {_NAMES.get(plain, "object")}


def choices(hint: Any, metadata: typing.Mapping[str, Any]) -> list[str]:
    """The values of an enumeration in the hint or of the field's own choices; empty when free."""
    if "choices" in metadata:
        return sorted(metadata["choices"])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        enums = [a for a in typing.get_args(hint) if isinstance(a, type) and issubclass(a, enum.Enum)]
        return sorted({str(member.value) for found in enums for member in found})
    return []


def default(field: dataclasses.Field[Any]) -> Any:
    """The field's default in JSON's types."""
    factory = field.default_factory
    value = field.default if factory is dataclasses.MISSING else factory()
    return value.value if isinstance(value, enum.Enum) else value


def table() -> dict[str, Any]:
    """Name, types, default, choices and meaning of every argument of the installed TrainingArguments."""
    import transformers

    hints = typing.get_type_hints(transformers.TrainingArguments)
    arguments: dict[str, Any] = {}
    for field in dataclasses.fields(transformers.TrainingArguments):
        entry: dict[str, Any] = {"types": sorted(kinds(hints[field.name])), "default": default(field)}
        if "const" in field.metadata and isinstance(field.metadata["const"], bool):
            entry["types"] = sorted({*entry["types"], "bool"})  # the flag alone stands for true
        allowed = choices(hints[field.name], field.metadata)
        if allowed:
            entry["choices"] = allowed
        entry["help"] = str(field.metadata.get("help", "")).replace("%%", "%")
        arguments[field.name] = entry
    return {"transformers": transformers.__version__, "arguments": arguments}


def text() -> str:
    """The file's text."""
    return json.dumps(table(), indent=1, ensure_ascii=True) + "\n"


def main() -> int:
    """Writes or checks the table; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    fresh = text()
    if parser.parse_args().check:
        if TABLE.read_text() == fresh:
            return 0
        sys.stderr.write(f"{TABLE}: differs from the installed transformers; run python {sys.argv[0]}\n")
        return 1
    TABLE.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
