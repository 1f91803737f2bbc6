"""The YAML parser's complaints in our form: the line, what is wrong, what to do."""

from __future__ import annotations

from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from rallypoint.loading.tree import Finding, Place


def syntax_finding(error: YAMLError, text: str, file: str, layer: int) -> Finding:
    """The parser's complaint in our form."""
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        place = Place(layer, line, 0, file)
        return Finding(place, "", f"a control character ({_code(error.character)}); remove it")
    problem = getattr(error, "problem", None) or "no YAML"
    mark = None
    if isinstance(error, MarkedYAMLError):
        begun = "end of stream" in problem and error.context_mark
        mark = begun or error.problem_mark or error.context_mark
    line = min(mark.line + 1, text.count("\n") + 1) if mark else 0
    place = Place(layer, line, 0, file)
    lines = text.splitlines()
    row = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in row[: len(row) - len(row.lstrip())] or "'\\t'" in problem:
        return Finding(place, "", "a tab indents this line; use spaces")
    context = getattr(error, "context", None)
    where = f" {context}" if context and context not in problem else ""
    return Finding(place, "", f"not valid YAML ({problem}{where}); correct the line")


def _code(character: Any) -> str:
    """U+0007 for the character or its number."""
    return f"U+{ord(character) if isinstance(character, str) else int(character):04X}"
