"""The values as a job, with every mistake: in single fields, and between those that are sound.

A rule between fields is judged even when other fields are wrong: those are taken out first, and a rule that
depends on one of them is left for the next try.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import ValidationError

from rallypoint.loading.tree import Finding, Path, Tree, dotted, nearest, plain
from rallypoint.loading.wording import wording
from rallypoint.spec import Job, rules

Judge = Callable[[Job], list[rules.Violation]]
"""Rules between fields, as a job breaks them."""
MOST_ROUNDS = 6
"""Taking a wrong value out can leave another mistake, as a missing field; deeper chains are given up."""
STAND_IN_FIELDS: dict[Path, Any] = {
    ("name",): "name",
    ("train", "task"): "text-classification",
    ("train", "model"): "stand-in",
    ("train", "dataset"): {"path": "stand-in"},
}
"""What takes the place of a required field that is wrong or missing, so that what is beside it is judged."""
STAND_INS: dict[str | int, Callable[[int], dict[str, Any]]] = {
    "volumes": lambda index: {"mount": f"/stand-in/{index}", "emptyDir": {}},
    "env_from": lambda _index: {"secret": "stand-in"},
    "sidecars": lambda index: {"name": f"stand-in-s{index}", "image": "stand-in"},
    "init_containers": lambda index: {"name": f"stand-in-i{index}", "image": "stand-in"},
}
"""What takes the place of a wrong item, so that the others keep theirs; other lists are taken out whole."""


class Checked(NamedTuple):
    """What the values are worth."""

    job: Job | None
    """None when a field is wrong."""
    findings: list[Finding]
    """What is wrong in single fields."""
    violations: list[rules.Violation]
    """What is wrong between fields."""


def validated(tree: Tree, judged: Judge = rules.always) -> Checked:
    """The job that the values describe, or what keeps them from being one; `judged` by these rules."""
    try:
        job = Job.model_validate(plain(tree))
    except ValidationError as error:
        errors = _located(error)
        findings = [
            Finding(nearest(tree, path).place, dotted(path), wording(path, item)) for path, item in errors
        ]
        return Checked(None, findings, _between_the_sound(plain(tree), errors, judged))
    return Checked(job, [], judged(job))


def _located(error: ValidationError) -> list[tuple[Path, dict[str, Any]]]:
    """Pydantic's errors with their paths: without the tags of unions and the mark of a key."""
    located: list[tuple[Path, dict[str, Any]]] = []
    for item in error.errors(include_url=False):
        parts = [part for part in item["loc"] if str(part)[:1] not in "<[" or str(part)[-1:] not in ">]"]
        located.append(((*parts, *item.get("ctx", {}).get("path", ())), dict(item)))
    return located


def _between_the_sound(
    values: dict[str, Any], errors: list[tuple[Path, dict[str, Any]]], judged: Judge
) -> list[rules.Violation]:
    """The violations among the fields that are right."""
    out: list[Path] = []
    for _round in range(MOST_ROUNDS):
        out += [_taken_out(values, path, error["type"]) for path, error in errors]
        try:
            job = Job.model_validate(values)
        except ValidationError as error:
            errors = _located(error)
        else:
            return [item for item in judged(job) if not _depends(item, out)]
    return []


def _taken_out(values: dict[str, Any], path: Path, kind: str) -> Path:
    """Removes what is at `path`, or what lacks it; the path of what was removed."""
    inside = _at(values, path[:-1])
    if path in STAND_IN_FIELDS and isinstance(inside, dict):
        inside[path[-1]] = copy.deepcopy(STAND_IN_FIELDS[path])
        return path
    if kind == "missing":
        path = path[:-1]
    inside = _at(values, path[:-1])
    if isinstance(inside, dict) and path:
        inside.pop(path[-1], None)
    elif isinstance(inside, list):
        index = path[-1]
        if path[0] not in STAND_INS or not isinstance(index, int):
            return _taken_out(values, path[:-1], "")
        inside[index] = STAND_INS[path[0]](index)
    return path


def _depends(violation: rules.Violation, out: list[Path]) -> bool:
    """Whether the violation is about something that was taken out."""
    keys = [key for key in (violation.key, *violation.about) if key]
    return any(key[: len(path)] == path[: len(key)] for key in keys for path in out if path)


def _at(value: Any, path: Path) -> Any:
    """The plain value at `path`; None where there is none."""
    for part in path:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value
