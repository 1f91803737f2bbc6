"""What the nodes tell each other: a document from each node, one plan for all, and the reports and ledger
in them.

Everything is plain JSON. Both sides look only at the present state, so it does not matter which message was
missed, or which node, node 0 too, started again.
"""

from __future__ import annotations

from typing import Any, TypedDict, TypeGuard

ABSENT, READY, RUNNING, NODE_DONE, LEAVING, GONE = "absent", "ready", "running", "done", "leaving", "bye"
"""States of a node: never heard of; waiting for a round; in one; its processes ended well; told to stop;
has read the end."""

GATHER, RUN, END = "gather", "run", "end"
"""Phases of a plan."""

STOPPED_AFTER_SAVE, OUT_OF_MEMORY, OWN, PEER, WRONG_INPUT, FINAL = (
    "saved",
    "oom",
    "own",
    "peer",
    "input",
    "final",
)
"""Kinds of a process's end: an agreed stop after a save; killed for memory; its own failure; lost a peer;
exit 2; failed in a
way that a second try cannot mend."""

KINDS = (WRONG_INPUT, FINAL, OUT_OF_MEMORY, OWN, STOPPED_AFTER_SAVE, PEER)
"""The most telling first."""


class Report(TypedDict):
    """Why a node's round ended: its process that says most."""

    node: int
    rank: int
    code: int
    kind: str
    what: str
    step: int | None
    seconds: float
    traceback: str


class Entry(TypedDict):
    """One incident in the ledger: what ended a round, and whether it used up a restart."""

    round: int
    counts: bool
    used: int
    text: str
    sign: list[Any]
    step: int | None
    seconds: float
    report: Report | None


class Document(TypedDict):
    """What a node says of itself."""

    state: str
    round: int
    launcher: str
    report: Report | None
    step: int | None
    seconds: float
    ledger: list[Entry]


class Plan(TypedDict):
    """What node 0 answers: gather, run this round, or end with this code."""

    phase: str
    round: int
    since: float
    missing: list[int]
    members: list[str]
    port: int
    why: str
    patient: bool
    ledger: list[Entry]
    code: int
    text: str
    report: Report | None


def absent() -> Document:
    """The document of a node that nobody has heard of yet."""
    return new_document("", ABSENT)


def new_document(launcher: str, state: str = READY) -> Document:
    """The first document of a launcher: ready, and no round behind it."""
    return {
        "state": state,
        "round": 0,
        "launcher": launcher,
        "report": None,
        "step": None,
        "seconds": 0.0,
        "ledger": [],
    }


def first_plan(now: float) -> Plan:
    """The plan of a store that has just opened: gather everybody."""
    return {
        "phase": GATHER,
        "round": 0,
        "since": now,
        "missing": [],
        "members": [],
        "port": 0,
        "why": "",
        "patient": False,
        "ledger": [],
        "code": 0,
        "text": "",
        "report": None,
    }


def longer(one: list[Entry], other: list[Entry]) -> list[Entry]:
    """The ledger that knows more: the one whose last incident is later."""
    return max(one, other, key=lambda ledger: ledger[-1]["round"] if ledger else 0)


def used(ledger: list[Entry]) -> int:
    """Restarts used up so far."""
    return ledger[-1]["used"] if ledger else 0


def listed(indexes: list[int]) -> str:
    """`node 2` or `nodes 1, 2`; a long list is cut."""
    shown = ", ".join(map(str, indexes[:12])) + (
        f" and {len(indexes) - 12} more" if len(indexes) > 12 else ""
    )
    return f"node{'s' if len(indexes) > 1 else ''} {shown}"


def is_document(found: object) -> TypeGuard[Document]:
    """Whether what came over the network has the shape of a document; the decisions rely on it."""
    if not isinstance(found, dict):
        return False
    model = new_document("")
    shapes: dict[str, tuple[type, ...]] = {
        "report": (dict, type(None)),
        "step": (int, type(None)),
        "seconds": (int, float),
    }
    return all(isinstance(found.get(key), shapes.get(key, (type(value),))) for key, value in model.items())
