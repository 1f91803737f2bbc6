"""One thing that is wrong with an object."""

from __future__ import annotations

from typing import Any, NamedTuple

Object = dict[str, Any]
"""A Kubernetes object, parsed."""


class Fault(NamedTuple):
    """What one rule found."""

    where: str
    """The object, as in `Job/mrpc`."""
    path: str
    """Dotted, as in `spec.template.spec.volumes`; empty for the whole object."""
    text: str
    """What is wrong (the value); what to do."""


class Finding(NamedTuple):
    """A fault, and the rule that it breaks."""

    rule: str
    """The rule's name, as in `mounts-have-volumes`."""
    where: str
    path: str
    text: str

    def __str__(self) -> str:
        """`object: path: text`."""
        return ": ".join(part for part in (self.where, self.path, self.text) if part)


def title(item: Object) -> str:
    """`Kind/name`."""
    return f"{item.get('kind', '?')}/{name_of(item)}"


def name_of(item: Object) -> str:
    """`metadata.name`; `?` where there is none."""
    metadata = item.get("metadata")
    return str(metadata.get("name", "?")) if isinstance(metadata, dict) else "?"
