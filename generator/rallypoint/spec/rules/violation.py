"""One rule broken by a job that is otherwise valid."""

from __future__ import annotations

from typing import NamedTuple

Path = tuple[str | int, ...]


class Violation(NamedTuple):
    """What is wrong between fields; `about` names the others that decide."""

    key: Path
    """Where the message points."""
    text: str
    """What is wrong (the values); what to do."""
    about: tuple[Path, ...] = ()
    """Further fields without which the rule cannot be judged."""
