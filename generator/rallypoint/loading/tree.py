"""The tree of a document: every value with the file and line it came from.

Refuses to know what the values mean: that is the spec's part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from rallypoint.errors import Problem, SpecError

Path = tuple[str | int, ...]
"""Keys and indexes from the root to a value."""


class Place(NamedTuple):
    """Where something stands; sorts in the order in which a reader meets it."""

    layer: int
    """Position among the files, `--set` last."""
    line: int
    """From 1; 0 for a place without lines."""
    column: int
    file: str
    """As the user gave it."""


class Finding(NamedTuple):
    """One thing wrong, not yet sorted among the others."""

    place: Place
    key: str
    text: str


@dataclass(slots=True)
class Tree:
    """A value with its place; a map's values stand where their keys do."""

    place: Place
    value: Any
    """dict[str, Tree], list[Tree], or None, bool, int, float, str."""
    doubt: str = ""
    """What YAML 1.1 makes of a bare scalar, where that is another value than ours."""
    size: int = 1
    """Values in it, aliases counted as often as they are used."""
    depth: int = 0
    """Levels of maps and lists in it."""
    written: str = ""
    """A bare boolean as the file has it."""


def dotted(path: Path) -> str:
    """`volumes[0].mount` for ("volumes", 0, "mount"); dots inside a key are escaped as in --set, as
    are letters that do not show.
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in part)
            text += ("." if text else "") + shown.replace(".", "\\.")
    return text


def plain(tree: Tree) -> Any:
    """The values alone."""
    if isinstance(tree.value, dict):
        return {key: plain(child) for key, child in tree.value.items()}
    if isinstance(tree.value, list):
        return [plain(child) for child in tree.value]
    return tree.value


def child(tree: Tree, part: str | int) -> Tree | None:
    """The value under a key or index, if there is one."""
    if isinstance(tree.value, dict):
        found: Tree | None = tree.value.get(part)
        return found
    if isinstance(tree.value, list) and isinstance(part, int) and part < len(tree.value):
        item: Tree = tree.value[part]
        return item
    return None


def replaced(tree: Tree, path: Path, value: Tree) -> Tree:
    """The tree with `value` at `path`; what is shared through aliases stays as it is elsewhere."""
    if not path:
        return value
    inner = tree.value.copy()
    inner[path[0]] = replaced(inner[path[0]], path[1:], value)
    return replace(tree, value=inner)


def planted(value: Any, place: Place) -> Tree:
    """Plain values as a tree, all at one place."""
    if isinstance(value, dict):
        return Tree(place, {key: planted(inner, place) for key, inner in value.items()})
    if isinstance(value, list):
        return Tree(place, [planted(inner, place) for inner in value])
    return Tree(place, value)


def nearest(tree: Tree, path: Path) -> Tree:
    """The value at `path`, or the innermost one around it that exists."""
    for part in path:
        inner = child(tree, part)
        if inner is None:
            break
        tree = inner
    return tree


def leaves(tree: Tree, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
    """Every value that is no map or list, with its path."""
    if isinstance(tree.value, dict):
        for key, inner in tree.value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(tree.value, list):
        for index, inner in enumerate(tree.value):
            yield from leaves(inner, (*path, index))
    else:
        yield path, tree


def problems(findings: list[Finding]) -> list[Problem]:
    """The findings in file order, each once."""
    ordered = sorted(dict.fromkeys(findings), key=lambda finding: finding.place)
    return [Problem(item.place.file, item.place.line, item.key, item.text) for item in ordered]


def spec_error(findings: list[Finding]) -> SpecError:
    """All findings as one error."""
    return SpecError(problems(findings))
