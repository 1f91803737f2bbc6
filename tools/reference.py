"""Writes docs/spec.md: every field with type, default, meaning and the kinds that accept it.

python tools/reference.py           writes it
python tools/reference.py --check   ends with 1 when it differs
"""

from __future__ import annotations

import argparse
import json
import sys
import types
import typing
from pathlib import Path
from typing import Any

from pydantic import BaseModel, BeforeValidator, TypeAdapter
from pydantic.fields import FieldInfo

from rallypoint.spec import KINDS, Job
from rallypoint.spec.fields import models_in
from rallypoint.spec.kinds import LACKS, LONGEST_DERIVED, LONGEST_NAME, having
from rallypoint.spec.training.old import CONVERTED, GONE, RENAMED
from rallypoint.spec.training.table import OWNED, TRAINING_ARGS, VERSION

PAGE = Path(__file__).parent.parent / "docs" / "spec.md"
HEAD = """\
# The spec: every field

Written by tools/reference.py from the models; do not edit.

A job file is a YAML 1.2 map. Unknown and repeated keys are refused. Several files are layered left to right:
maps merge, lists and scalars replace, null removes a key; `--set a.b=c` comes last, in helm's syntax.
A path of this machine is relative to the file that says it, in `--set` to the current folder. A bare
scalar that YAML 1.1 reads as another value (`no`, `on`, `010`, `1_000`, `12:30`) is refused unless it is a
strategy's `no`. Numbers and booleans are kept as they are written where text is meant.

"Kinds" names the kinds that accept a field; all do where it is empty.
"""


def cell(text: str) -> str:
    """Text for a table's cell, on one line."""
    return " ".join(text.split()).replace("|", "\\|")


def type_words(annotation: Any) -> str:
    """The type in a reader's words."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _named(annotation) or type_words(arguments[0])
    if origin in (typing.Union, types.UnionType):
        words = [type_words(argument) for argument in arguments if argument is not types.NoneType]
        return " or ".join(dict.fromkeys(words))
    if origin is typing.Literal:
        return " or ".join("false" if value is False else f"`{value}`" for value in arguments)
    if origin is list:
        return f"list of {type_words(arguments[0])}"
    if origin is dict:
        return f"map of {type_words(arguments[1])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    return {str: "text", int: "whole number", bool: "true or false"}.get(annotation, "anything")


def _named(annotation: Any) -> str:
    """Our scalar types by name, from their schema; empty for others."""
    schema = TypeAdapter(annotation).json_schema()
    pattern = str(schema.get("pattern", "")) + str(schema.get("anyOf", ""))
    if "smhd" in pattern:
        return "duration"
    if "numkMGTPE" in pattern:
        return "quantity"
    converts = any(isinstance(item, BeforeValidator) for item in typing.get_args(annotation)[1:])
    return "text, number or boolean" if converts and "boolean" in schema.get("type", ()) else ""


def default_words(field: FieldInfo) -> str:
    """The default as YAML has it; empty when there is none."""
    if field.is_required():
        return "required"
    value = field.default
    if value is None:
        return ""
    return "" if isinstance(value, BaseModel) else f"`{json.dumps(value)}`"


def kind_words(name: str, model: type[BaseModel]) -> str:
    """The kinds that accept a top-level field; empty when all do."""
    if model is not Job or name not in LACKS:
        return ""
    return ", ".join(KINDS[kind] for kind in having(name))


def section(model: type[BaseModel]) -> str:
    """One model's table."""
    rows = [
        f"| `{name}` | {type_words(_full(field))} | {default_words(field)} | {cell(field.description or '')} "
        f"| {kind_words(name, model)} |"
        for name, field in model.model_fields.items()
    ]
    head = f"\n## {model.__name__}\n\n{cell(model.__doc__ or '')}\n"
    return "\n".join(
        [head, "| field | type | default | meaning | kinds |", "|---|---|---|---|---|", *rows, ""]
    )


def _full(field: FieldInfo) -> Any:
    """The field's annotation with the metadata that pydantic took off it."""
    return typing.Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def models() -> list[type[BaseModel]]:
    """Job and every model below it, in the order of the fields."""
    found: list[type[BaseModel]] = [Job]
    for model in found:
        inside = (inner for field in model.model_fields.values() for inner in models_in(field.annotation))
        found += [inner for inner in inside if inner not in found]
    return list(dict.fromkeys(found))


def kinds_table() -> str:
    """Which kind has which field, how long a name it bears, and why."""
    head = "\n## Kinds\n\n| | " + " | ".join(KINDS.values()) + " |\n|---|" + "---|" * len(KINDS) + "\n"
    names = " | ".join(str(LONGEST_NAME[kind]) for kind in KINDS)
    derived = " | ".join(f"`{LONGEST_DERIVED[kind].format(name='<name>', last='<index>')}`" for kind in KINDS)
    rows = [
        f"| letters of `name`, up to ten nodes; one less per further digit of an index below | {names} |",
        f"| the derived name that must fit 63 letters | {derived} |",
    ]
    rows += [
        f"| `{field}` | "
        + " | ".join(cell(f"no: {kinds[kind]}") if kind in kinds else "yes" for kind in KINDS)
        + " |"
        for field, kinds in LACKS.items()
    ]
    return head + "\n".join(rows) + "\n"


def arguments_table() -> str:
    """What `training_args` accepts, which names are old, and which are not for a job file."""
    head = f"\n## training_args\n\nOf transformers {VERSION}, with its defaults; "
    head += "those of the trainer that differ are in [trainer.md](trainer.md).\n\n"
    head += "| argument | type | default | meaning |\n|---|---|---|---|\n"
    rows = [
        f"| `{name}` | {' or '.join(item.types)} | `{json.dumps(item.default)}` | {cell(item.help)} |"
        for name, item in TRAINING_ARGS.items()
        if name not in OWNED
    ]
    old = {**RENAMED, **{name: new for name, (new, _change) in CONVERTED.items()}}
    parts = [
        ("Old names, read as today's with a notice", [f"`{name}`: {new}" for name, new in old.items()]),
        ("Refused, because Rallypoint sets them", [f"`{name}`: {why}" for name, why in OWNED.items()]),
        ("Refused, because they are gone", [f"`{name}`: {why}" for name, why in GONE.items()]),
    ]
    lists = [f"\n### {title}\n\n" + "\n".join(f"- {cell(line)}" for line in lines) for title, lines in parts]
    return head + "\n".join(rows) + "\n" + "\n".join(lists) + "\n"


def text() -> str:
    """The page's text."""
    return HEAD + kinds_table() + "".join(map(section, models())) + arguments_table()


def main() -> int:
    """Writes or checks the page; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        if PAGE.read_text(encoding="utf-8") == text():
            return 0
        sys.stderr.write(f"{PAGE}: differs from the models; run python {sys.argv[0]}\n")
        return 1
    PAGE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
