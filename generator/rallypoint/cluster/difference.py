"""In what a rendered job differs from the one that lives under its name: in words, old -> new.

Pure. What may change in place (labels, annotations, suspend, ttl, a Job's deadline) is no difference here;
everything else would mix pods of two runs, or be refused by the API server half-way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from rallypoint.podview.config import CONTRACT
from rallypoint.quantity import quantity
from rallypoint.told import told
from rallypoint.topology import CONTAINER_NAMES

Object = dict[str, Any]
MANAGERS = {"rallypoint", "kubectl-client-side-apply", "kubectl", "helm"}
"""Who may have sent a job; what they own and the new one leaves out was taken away."""
_IN_PLACE = {
    "suspend", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "runPolicy.suspend",
    "runPolicy.ttlSecondsAfterFinished", "replicas",
}  # fmt: skip
"""Of a workload's spec. A StatefulSet's replicas follow `nodes`, which the contract holds."""
_GROWS = {"tolerations", "nodeSelector"}
"""Kueue adds to them when it admits a job."""
_FOLLOWS = {
    "completions", "parallelism", "numNodes", "replicas", "nprocPerNode",
    "volumes[config].configMap.name", "volumes[config].configMap.items",
    *(f"containers[{name}].image" for name in CONTAINER_NAMES.values()),
}  # fmt: skip
"""Ends of keys of a workload that the contract tells in fewer words."""
_DERIVED = {"endpoint", "idle_when_done", "output", "workdir"}
"""Keys of the contract that follow from the name and the kind."""
LONGEST_VALUE = 80


class Difference(NamedTuple):
    """One thing that changed."""

    key: str
    old: Any
    """MISSING when it was not there."""
    new: Any

    def __str__(self) -> str:
        if self.old is MISSING:
            return f"{self.key}: {_shown(self.new)} is new"
        if self.new is MISSING:
            return f"{self.key}: {_shown(self.old)} is gone"
        return f"{self.key}: {_shown(self.old)} -> {_shown(self.new)}"


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def config_differences(living: Object, rendered: Object) -> list[Difference]:
    """What the contract says otherwise; both are ConfigMaps.

    The launcher of another release is no difference: the run goes on with the one that started it.
    """
    old, new = living.get("data") or {}, rendered["data"]
    return list(_contract_differences(_contract(old), _contract(new)))


def _contract(data: Object) -> Object:
    return told(data.get(CONTRACT, ""))


def _contract_differences(old: Object, new: Object) -> Iterator[Difference]:
    """By dotted key; a shipped file by its name, not by its digest."""
    flat_old, flat_new = dict(_leaves(old)), dict(_leaves(new))
    for key in sorted({*flat_old, *flat_new}):
        before, after = flat_old.get(key, MISSING), flat_new.get(key, MISSING)
        if before == after or key in _DERIVED:
            continue
        if key.startswith("files."):
            yield Difference(
                key, *(side if side is MISSING else f"text {side[:8]}" for side in (before, after))
            )
        else:
            yield Difference(key, before, after)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _leaves(below, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def workload_differences(living: Object, rendered: Object) -> list[Difference]:
    """What of a workload's (or runtime's) spec would change beyond what may change in place."""
    old, new = living.get("spec") or {}, rendered.get("spec") or {}
    in_place = (
        _IN_PLACE
        if rendered["kind"] in ("Job", "PyTorchJob", "StatefulSet")
        else _IN_PLACE - {"activeDeadlineSeconds"}
    )
    changed = [one for one in _unlike(old, new, "") if one.key not in in_place]
    gone = [
        one
        for fields in _owned(living)
        for one in _taken_away(fields, old, new, "")
        if one.key not in in_place
    ]
    changed = [one for one in changed if not one.key.endswith(tuple(_FOLLOWS))]
    known = {one.key for one in changed}
    distinct = {one.key: one for one in gone if one.key not in known}
    return [one._replace(key=_spoken(one.key)) for one in [*changed, *distinct.values()]]


def _unlike(old: Any, new: Any, path: str) -> Iterator[Difference]:
    """Where `old` lacks what `new` says; what the API server added by itself does not count."""
    if path.endswith(("template.metadata", ".metadata")):
        return  # labels and annotations of pods
    if isinstance(new, dict) and isinstance(old, dict):
        for key, value in new.items():
            yield from _unlike(old.get(key, MISSING), value, f"{path}.{key}" if path else key)
    elif isinstance(new, list) and isinstance(old, list) and _keyed([*new, *old]):
        yield from _unlike_items(old, new, path)
    elif not _same(old, new) and not (path.rpartition(".")[2] in _GROWS and _contains(old, new)):
        yield Difference(path, old, new)


def _unlike_items(old: list[Object], new: list[Object], path: str) -> Iterator[Difference]:
    """Lists of named things, such as env and volumes, item by item."""
    before, after = ({_key(item): item for item in side} for side in (old, new))
    for key in after:
        yield from _unlike(before.get(key, MISSING), after[key], f"{path}[{key}]")
    for key in before:
        if key not in after:
            yield Difference(f"{path}[{key}]", before[key], MISSING)


def _keyed(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) and _key(item) for item in items)


def _key(item: Object) -> str:
    """What tells one item of a list from another; volumeMounts repeat the name."""
    return str(item.get("mountPath") or item.get("name") or "")


def _contains(old: Any, new: Any) -> bool:
    return isinstance(old, list) and isinstance(new, list) and all(item in old for item in new)


def _same(old: Any, new: Any) -> bool:
    """Equal, or two spellings of one quantity."""
    if old == new:
        return True
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return all(not list(_unlike(a, b, "")) for a, b in zip(old, new, strict=True))
    numbers = _number(old), _number(new)
    return None not in numbers and numbers[0] == numbers[1]


def _number(value: Any) -> Decimal | None:
    try:
        return None if isinstance(value, bool) else quantity(str(value))
    except ValueError:
        return None


def _owned(living: Object) -> list[Object]:
    """The fields of the spec that those who send jobs have set. Source: Kubernetes docs, "FieldsV1"."""
    entries = living["metadata"].get("managedFields") or []
    fields = [entry.get("fieldsV1") or {} for entry in entries if entry.get("manager") in MANAGERS]
    return [one["f:spec"] for one in fields if "f:spec" in one]


def _taken_away(fields: Object, old: Any, new: Any, path: str) -> Iterator[Difference]:
    """Owned fields that live and that the new job does not set."""
    if not isinstance(old, dict) or not isinstance(new, dict) or path.endswith(".metadata"):
        return
    for mark, below in fields.items():
        key = mark.removeprefix("f:")
        if not mark.startswith("f:") or key not in old:
            continue
        here = f"{path}.{key}" if path else key
        if key not in new:
            yield Difference(here, old[key], MISSING)
        else:
            yield from _pairs_taken_away(below, old[key], new[key], here)


def _pairs_taken_away(fields: Object, old: Any, new: Any, path: str) -> Iterator[Difference]:
    """As _taken_away, into the items of named lists."""
    if not (isinstance(old, list) and isinstance(new, list) and _keyed([*old, *new])):
        yield from _taken_away(fields, old, new, path)
        return
    before, after = ({_key(item): item for item in side} for side in (old, new))
    for mark, below in fields.items():
        if mark.startswith("k:"):
            key = _key(json.loads(mark.removeprefix("k:")))
            if key in before and key in after:
                yield from _taken_away(below, before[key], after[key], f"{path}[{key}]")


def _spoken(path: str) -> str:
    """`pod: containers[trainer].image` for what lies in the pod template, however deep."""
    _, found, rest = path.rpartition("template.spec.")
    return f"pod: {rest}" if found else path


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."
