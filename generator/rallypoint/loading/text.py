"""What may stand in a text, and which bare scalars two readers of YAML would read differently."""

from __future__ import annotations

import re
from typing import Any

from rallypoint.loading.tree import Finding, Path, Tree, dotted, leaves, replaced
from rallypoint.spec.fields import means_text, types_at
from rallypoint.spec.training import NO_MEANS_NO, TRAINING_ARGS
from rallypoint.spec.written import WrittenFloat, WrittenInt, spelling

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def settled(tree: Tree) -> tuple[Tree, list[Finding]]:
    """The tree with a strategy's `no` as text, and a finding for each scalar or text that is refused."""
    findings: list[Finding] = _broken_keys(tree)
    for path, leaf in list(leaves(tree)):
        if leaf.doubt == "false" and path[:2] == ("train", "training_args") and path[-1] in NO_MEANS_NO:
            tree = replaced(tree, path, Tree(leaf.place, "no"))
        elif leaf.doubt:
            findings.append(Finding(leaf.place, dotted(path), _doubtful(path, leaf)))
        elif isinstance(leaf.value, str):
            bad = _control(leaf.value)
            if bad:
                findings.append(Finding(leaf.place, dotted(path), bad))
        elif isinstance(leaf.value, bool | int | float):
            found = _spelled(path, leaf)
            if isinstance(found, str):
                findings.append(Finding(leaf.place, dotted(path), found))
            elif found is not None:
                tree = replaced(tree, path, found)
    return tree, findings


def _control(text: str) -> str:
    """What is wrong with the letters of `text`; empty for nothing."""
    bad = _CONTROL.search(text)
    return f"holds a control character (U+{ord(bad.group()):04X}); remove it" if bad else ""


def _broken_keys(tree: Tree) -> list[Finding]:
    """A finding for the outermost key of each branch that holds a control character."""
    found: dict[Path, Finding] = {}
    for path, leaf in leaves(tree):
        for depth, part in enumerate(path):
            text = _control(part) if isinstance(part, str) else ""
            if text:
                found.setdefault(
                    path[: depth + 1], Finding(leaf.place, dotted(path[:depth]), f"a key {text}")
                )
                break
    return list(found.values())


def _doubtful(path: Path, leaf: Tree) -> str:
    """The sentence for a scalar on which YAML 1.1 and 1.2 disagree: quote it, or write what was meant."""
    types = _types(path)
    write = "write a plain decimal number"
    if leaf.doubt in ("true", "false") or leaf.doubt.startswith("the octal number "):
        write = f"write {leaf.doubt.rpartition(' ')[2]}"
    elif leaf.doubt == "a rounded number":
        write = "write a smaller number"
    quote = f"quote it: '{leaf.value[:80]}'"
    needs_plain = str not in types and bool({bool, int, float} & set(types))
    advice = quote if str in types else write if needs_plain else f"{quote}, or {write}"
    return f"YAML 1.1 (helm) reads this as {leaf.doubt}, YAML 1.2 does not (got {leaf.value[:80]}); {advice}"


def _types(path: Path) -> list[Any]:
    """The types that a value at `path` may have, those of transformers' arguments too."""
    *where, last = path
    if where == ["train", "training_args"] and last in TRAINING_ARGS:
        words = {"bool": bool, "int": int, "float": float, "str": str}
        return [words[word] for word in TRAINING_ARGS[str(last)].types if word in words]
    return types_at(path)


def _spelled(path: Path, leaf: Tree) -> Tree | str | None:
    """For a number or boolean where text is meant: its text, or why that cannot be kept; else None."""
    if not means_text(path):
        return None
    written = leaf.written or spelling(leaf.value)
    from_set = leaf.place.file == "--set"  # its reader keeps a fraction's spelling, as helm's does
    if isinstance(leaf.value, bool) and written != spelling(leaf.value):
        return f"a bare {written} is the boolean {spelling(leaf.value)}; quote it: '{written}'"
    if isinstance(leaf.value, WrittenInt) and written != str(int(leaf.value)):
        number = int(leaf.value)
        return f"a bare {written} is the number {number}; quote it: '{written}', or write {number}"
    if isinstance(leaf.value, WrittenFloat) and not -1e308 < leaf.value < 1e308:
        return f"a bare {written} is no finite number; quote it: '{written}'"
    if isinstance(leaf.value, WrittenFloat) and leaf.value.is_integer() and not from_set:
        return f"a bare {written} is the whole number {leaf.value:.0f} to helm; quote it: '{written}'"
    return Tree(leaf.place, written) if from_set else None
