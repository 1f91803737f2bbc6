"""`--set a.b=c`: values from the command line, in helm's syntax.

Commas separate several, `{x,y}` is a list, `a[0]` an item, a backslash keeps the next character as it is.
Source: helm 3.16, pkg/strvals/parser.go.
"""

from __future__ import annotations

import re
from typing import Any

from rallypoint.loading.scalars import scalar
from rallypoint.loading.tree import Finding, Path, Place, Tree, dotted

FILE = "--set"
LARGEST_INDEX = 65536
"""helm's own bound on `a[N]`."""
_INDEX = re.compile(r"\[([0-9]{1,9})\]")


class BadSet(Exception):
    """A --set that does not follow the syntax; the text says why, `advice` what to do."""

    def __init__(self, text: str, advice: str = "write key=value, as in nodes=3") -> None:
        super().__init__(text)
        self.advice = advice


def apply_set(tree: Tree, text: str, layer: int) -> Finding | None:
    """Changes `tree` as `--set text` says; what is wrong with it, if anything."""
    place = Place(layer, 0, 0, FILE)
    try:
        for assignment in _split(text, ","):
            key, value = _assignment(assignment)
            _put(tree, _path(key), _value(value, place), place)
    except BadSet as problem:
        return Finding(place, "", f"{problem} (got {text[:80]!r}); {problem.advice}")
    return None


def apply_option(tree: Tree, key: str, text: str, layer: int) -> None:
    """Changes `tree` as an option of its own says, as `--kind text` does for `kind`; `text` is text."""
    tree.value[key] = Tree(Place(layer, 0, 0, f"--{key}"), text)


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that are neither escaped nor inside braces."""
    parts, part, depth, position = [], "", 0, 0
    while position < len(text):
        letter = text[position]
        if letter == "\\" and position + 1 < len(text):
            part += text[position : position + 2]
            position += 2
            continue
        depth += (letter == "{") - (letter == "}")
        if letter == separator and depth <= 0:
            parts.append(part)
            part = ""
        else:
            part += letter
        position += 1
    return [*parts, part]


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _assignment(text: str) -> tuple[str, str]:
    """Key and value of `key=value`."""
    key, *rest = _split(text, "=")
    if not rest:
        raise BadSet("has no '='")
    return key, "=".join(rest)


def _path(key: str) -> Path:
    """The keys and indexes of `a.b[0].c`."""
    path: list[str | int] = []
    for part in _split(key, "."):
        name, bracket, indexes = part.partition("[") if not part.endswith("\\") else (part, "", "")
        if not name and not (path and bracket):
            raise BadSet("has an empty key")
        if name:
            path.append(_plain(name))
        if bracket:
            if re.fullmatch(r"(\[[0-9]{1,9}\])+", bracket + indexes) is None:
                raise BadSet("has an index that is no whole number")
            path += [int(index) for index in _INDEX.findall(bracket + indexes)]
    if any(isinstance(part, int) and part > LARGEST_INDEX for part in path):
        raise BadSet(f"has an index above {LARGEST_INDEX}", "use a smaller index")
    return tuple(path)


def _value(text: str, place: Place) -> Tree:
    """A list for `{x,y}`, else one value."""
    if text.startswith("{") and text.endswith("}"):
        inner = text[1:-1]
        items = [_item(part, place) for part in _split(inner, ",")] if inner else []
        return Tree(place, items)
    return _item(text, place)


def _item(text: str, place: Place) -> Tree:
    """null, a boolean or a number where both readings of YAML agree on it, else text, as helm has it."""
    plain = _plain(text)
    if plain in {"", "~"}:
        return Tree(place, plain)
    value, doubt = scalar(plain)
    return Tree(place, plain if doubt else value)


def _put(tree: Tree, path: Path, value: Tree, place: Place) -> None:
    """`value` at `path`, with the maps and list items on the way to it."""
    for depth, part in enumerate(path):
        last = depth == len(path) - 1
        if isinstance(part, int):
            _grow(tree, part, path[:depth], place)
        elif not isinstance(tree.value, dict):
            tree.value = {}
        inner: Any = tree.value[part] if isinstance(part, int) else tree.value.get(part)
        if last:
            _assign(tree, part, value)
        else:
            if inner is None or not isinstance(inner.value, dict | list):
                inner = Tree(place, [] if isinstance(path[depth + 1], int) else {})
            inner = Tree(inner.place, inner.value.copy())
            tree.value[part] = inner
            tree = inner


def _assign(tree: Tree, part: str | int, value: Tree) -> None:
    """The value itself; null leaves a key out that was there."""
    if isinstance(part, str) and value.value is None and part in tree.value:
        del tree.value[part]
    else:
        tree.value[part] = value


def _grow(tree: Tree, index: int, path: Path, place: Place) -> None:
    """Makes room for item `index`, which may be the next one at most."""
    if not isinstance(tree.value, list):
        tree.value = []
    if index > len(tree.value):
        count = len(tree.value)
        raise BadSet(f"sets item {index} of {dotted(path)}, which has {count}", f"use index {count} at most")
    if index == len(tree.value):
        tree.value.append(Tree(place, None))
