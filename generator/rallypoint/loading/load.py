"""Job files and --set options as one validated job, or everything that is wrong with them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TextIO

from rallypoint.loading.arguments import modern
from rallypoint.loading.files import Refused, job_file, place_of
from rallypoint.loading.layers import layered
from rallypoint.loading.reader import Reader, Unreadable
from rallypoint.loading.scripts import folder_of, shipped
from rallypoint.loading.sets import FILE as SET
from rallypoint.loading.sets import apply_option, apply_set
from rallypoint.loading.text import settled
from rallypoint.loading.tree import Finding, Place, Tree, dotted, nearest, plain, problems, spec_error
from rallypoint.loading.validation import validated
from rallypoint.spec import Job, rules


class Loaded(NamedTuple):
    """A valid job, and what its files held."""

    job: Job
    notices: tuple[str, ...]
    """What the user should know although nothing is wrong, as `file:line: key: text`."""
    folder: Path
    """Of the last file: where relative paths in `train` and `script` begin on this machine."""
    document: dict[str, Any]
    """The layered values, as written."""
    scripts: dict[str, str]
    """The text of every shipped script by its relative path; `inline.py` for an inline one."""
    tree: Tree
    """The layered values with their places, for later rules."""


def load(
    files: Sequence[str | Path],
    sets: Sequence[str] = (),
    *,
    stdin: TextIO | None = None,
    cluster: bool = False,
    fields: Mapping[str, str] = MappingProxyType({}),
) -> Loaded:
    """The job that the files say, layered left to right, then the --set options, then `fields`.

    Those are fields with an option of their own, such as `--kind`: text as it stands.
    With `cluster`, it has what only a cluster needs too, such as an image and a shared output.

    Raises: SpecError with every problem, in file order.
    """
    names = [str(file) for file in files]
    tree, findings = _merged(names, sets, fields, stdin)
    if tree is None or not isinstance(tree.value, dict):
        raise spec_error(findings)
    tree, doubts = settled(tree)
    tree, notices = modern(tree)
    checked = validated(tree, rules.on_cluster if cluster else rules.always)
    scripts, missing = shipped(tree)
    doubtful = {finding.key for finding in doubts}
    later = [*checked.findings, *located(tree, checked.violations), *missing]
    findings += [*doubts, *(finding for finding in later if finding.key not in doubtful)]
    if findings or checked.job is None:
        raise spec_error(findings)
    folder = folder_of(place_of(names[-1], 0).file) if names else Path()
    return Loaded(checked.job, tuple(map(str, problems(notices))), folder, plain(tree), scripts, tree)


def require_cluster(loaded: Loaded) -> None:
    """Nothing, when the job can be rendered for a cluster.

    Raises: SpecError with what only a cluster needs, such as an image and a shared output.
    """
    violations = rules.for_cluster(loaded.job)
    if violations:
        raise spec_error(located(loaded.tree, violations))


def located(tree: Tree, violations: list[rules.Violation]) -> list[Finding]:
    """The violations with their places."""
    return [Finding(nearest(tree, item.key).place, dotted(item.key), item.text) for item in violations]


def _merged(
    names: list[str], sets: Sequence[str], fields: Mapping[str, str], stdin: TextIO | None
) -> tuple[Tree | None, list[Finding]]:
    """All layers as one tree, and what is wrong with them as YAML."""
    findings: list[Finding] = []
    merged: Tree | None = None
    for layer, name in enumerate(names):
        tree, found = _one(name, layer, stdin)
        findings += found
        if tree is not None:
            merged = tree if merged is None else layered(merged, tree)
    if not names:
        merged = Tree(Place(0, 0, 0, SET), {})
    if merged is not None:
        merged = Tree(merged.place, dict(merged.value))
        problems = (apply_set(merged, text, len(names) + index) for index, text in enumerate(sets))
        findings += [problem for problem in problems if problem is not None]
        for key, text in fields.items():
            apply_option(merged, key, text, len(names) + len(sets))
    return merged, findings


def _one(name: str, layer: int, stdin: TextIO | None) -> tuple[Tree | None, list[Finding]]:
    """One file's tree, when its root is a map, and what is wrong with it."""
    place = place_of(name, layer)
    try:
        reader = Reader(place.file, layer)
        tree = reader.read(job_file(name, stdin))
    except Refused as refused:
        return None, [Finding(place_of(name, layer, refused.line), "", refused.text)]
    except Unreadable as unreadable:
        return None, [*reader.findings, unreadable.finding]
    if tree is None or tree.value is None:
        return None, [
            Finding(place, "", "empty: it holds no fields; write at least name, and train or script")
        ]
    if not isinstance(tree.value, dict):
        what = "a list" if isinstance(tree.value, list) else "a single value"
        text = f"must be a map of fields (got {what}); write lines such as 'name: mrpc'"
        return None, [*reader.findings, Finding(tree.place, "", text)]
    return tree, reader.findings
