"""Decides what the nodes do next: the plan that follows from the last plan and what every node says of
itself. Pure.
"""

from __future__ import annotations

from typing import NamedTuple

from documents import (
    END,
    FINAL,
    GATHER,
    LEAVING,
    NODE_DONE,
    READY,
    RUN,
    STOPPED_AFTER_SAVE,
    WRONG_INPUT,
    Document,
    Plan,
    Report,
    listed,
    longer,
    used,
)
from ending import AGAIN, BAD_INPUT, DONE, FAILED
from verdict import described, first_failure, hopeless, incident, with_incident


class Limits(NamedTuple):
    """What bounds a job."""

    max_restarts: int
    rendezvous_timeout_seconds: float


def decide(limits: Limits, plan: Plan, documents: list[Document], silent: set[int], now: float) -> Plan:
    """The next plan; the very same when nothing has to change."""
    if plan["phase"] == END:
        return plan
    final = first_failure(d["report"] for d in documents if _of_this_round(d, plan, {WRONG_INPUT, FINAL}))
    if final:
        code = BAD_INPUT if final["kind"] == WRONG_INPUT else FAILED
        return _end(plan, code, described(final), final)
    if plan["phase"] == RUN:
        return _while_running(plan, documents, silent, now)
    return _while_gathering(limits, plan, documents, silent, now)


def _of_this_round(document: Document, plan: Plan, kinds: set[str]) -> bool:
    report = document["report"]
    return report is not None and report["kind"] in kinds and document["round"] >= plan["round"]


def _while_running(plan: Plan, documents: list[Document], silent: set[int], now: float) -> Plan:
    ours = [d["launcher"] == plan["members"][index] for index, d in enumerate(documents)]
    here = [d["round"] == plan["round"] for d in documents]
    if all(d["state"] == NODE_DONE and here[index] for index, d in enumerate(documents)):
        return _end(plan, DONE, "done", None)
    over = [
        index
        for index, d in enumerate(documents)
        if index in silent or not ours[index] or (here[index] and d["state"] in (READY, LEAVING))
    ]
    if not over:
        return plan
    patient = any(_of_this_round(d, plan, {STOPPED_AFTER_SAVE}) for d in documents)
    return {**plan, "phase": GATHER, "since": now, "missing": [], "patient": patient}


def _while_gathering(
    limits: Limits, plan: Plan, documents: list[Document], silent: set[int], now: float
) -> Plan:
    missing = [i for i, d in enumerate(documents) if i in silent or d["state"] not in (READY, NODE_DONE)]
    if missing and now - plan["since"] > limits.rendezvous_timeout_seconds:
        waited = f"{len(documents) - len(missing)} of {len(documents)} nodes waited"
        late = f"{listed(missing)} did not come within {limits.rendezvous_timeout_seconds:.0f} s; {waited}"
        return {**_end(plan, AGAIN, late, None), "missing": missing}
    if missing:
        return {**plan, "missing": missing}
    return _next_round(limits, plan, documents)


def _next_round(limits: Limits, plan: Plan, documents: list[Document]) -> Plan:
    ledger = plan["ledger"]
    for document in documents:  # in every node's document, so it outlives node 0
        ledger = longer(ledger, document["ledger"])
    last = max(document["round"] for document in documents)
    entry = incident(documents, used(ledger), plan["members"] if plan["round"] == last else [])
    ledger = with_incident(ledger, entry)
    why = hopeless(ledger, limits.max_restarts)
    if why:
        return _end({**plan, "ledger": ledger}, FAILED, why, ledger[-1]["report"])
    return {
        **plan,
        "phase": RUN,
        "round": last + 1,
        "missing": [],
        "members": [document["launcher"] for document in documents],
        "why": entry["text"] if entry else "",
        "patient": False,
        "ledger": ledger,
    }


def _end(plan: Plan, code: int, text: str, report: Report | None) -> Plan:
    return {**plan, "phase": END, "code": code, "text": text, "report": report, "missing": []}
