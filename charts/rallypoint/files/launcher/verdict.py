"""Judges why a round ended, and whether that uses up a restart: pure functions over the nodes' documents."""

from __future__ import annotations

import re
from collections.abc import Iterable

from documents import KINDS, STOPPED_AFTER_SAVE, Document, Entry, Report, listed

EARLY_SECONDS = 60  # without a step file: the same words within the first minute are the same failure
REPEATS = 3  # the same failure at the same step so many times in a row ends the job
FREE_REPEATS = 10  # nodes lost so many times in a row without a step forward end it too
KEPT = 32  # ledger entries that travel; `used` in each of them carries the sum


def first_failure(reports: Iterable[Report | None]) -> Report | None:
    """The report that names the cause: by kind (a rank that merely lost a peer comes last), then by time.

    Seconds are since the start of the round on each node's own clock: no clock of another machine is
    compared.
    """
    found = [report for report in reports if report]
    return min(found, key=lambda r: (KINDS.index(r["kind"]), r["seconds"], r["rank"]), default=None)


def described(report: Report) -> str:
    """`rank 2 on node 1: ValueError: bad batch (step 12)`."""
    at = f" (step {report['step']})" if report["step"] is not None else ""
    return f"rank {report['rank']} on node {report['node']}: {report['what']}{at}"


def incident(documents: list[Document], used: int, members: list[str]) -> Entry | None:
    """What ended the last round; None before the first one. `members` are the launchers of that round, as far
    as node 0 knows them.

    A launcher that has not run the last round is new, unless the round was over before this member of it had
    heard of it. A new one's node was lost or preempted, which is nobody's fault. The same launchers, and a
    rank of theirs that failed, is the program's own doing and uses up a restart.
    """
    last = max(document["round"] for document in documents)
    if last == 0:
        return None
    lost = [i for i, d in enumerate(documents) if d["round"] < last and d["launcher"] not in members]
    there = [document for document in documents if document["round"] == last]
    first = first_failure(document["report"] for document in there)
    steps = [document["step"] for document in there if document["step"] is not None]
    entry: Entry = {
        "round": last,
        "counts": False,
        "used": used,
        "text": "a node was out of reach for a while",
        "sign": [],
        "step": max(steps, default=None),
        "seconds": max(document["seconds"] for document in there),
        "report": first,
    }
    if lost:
        saved = first is not None and first["kind"] == STOPPED_AFTER_SAVE
        entry["text"] = f"{listed(lost)} {'was preempted, after a save' if saved else 'was lost'}"
    elif first and first["kind"] == STOPPED_AFTER_SAVE:
        entry["text"] = f"{described(first)}"
    elif first:
        return {
            **entry,
            "counts": True,
            "used": used + 1,
            "text": described(first),
            "sign": sign(first, last),
        }
    return entry


def sign(report: Report, last_round: int) -> list[object]:
    """What makes two failures the same: the words without their numbers, and when they came."""
    when: object = report["step"]
    if when is None:
        when = "early" if report["seconds"] < EARLY_SECONDS else f"round {last_round}"
    return [re.sub(r"\d+", "#", report["what"]), when]


def with_incident(ledger: list[Entry], entry: Entry | None) -> list[Entry]:
    """The ledger with the incident in it, once, however often it is judged."""
    if entry is None or (ledger and ledger[-1]["round"] >= entry["round"]):
        return ledger
    return [*map(_short, ledger), entry][-KEPT:]


def _short(entry: Entry) -> Entry:
    """The entry as it travels once there is a later one: every node sends its ledger along."""
    report = entry["report"]
    return {**entry, "report": {**report, "traceback": ""} if report else None}


def hopeless(ledger: list[Entry], max_restarts: int) -> str:
    """Why there must not be another round, in words; empty when there may be one."""
    counted = [entry for entry in ledger if entry["counts"]]
    if not ledger:
        return ""
    last, free = ledger[-1], ledger[-FREE_REPEATS:]
    same = counted[-REPEATS:]
    if last["counts"] and len(same) == REPEATS and all(entry["sign"] == last["sign"] for entry in same):
        return f"the same failure {REPEATS} times in a row: {last['text']}"
    if last["used"] > max_restarts and counted:
        times = "once" if last["used"] == 1 else f"{last['used']} times"
        return f"failed {times}, max_restarts {max_restarts} used up; last: {counted[-1]['text']}"
    if len(free) == FREE_REPEATS and not any(entry["counts"] for entry in free) and not advanced(free):
        return f"no step forward in {FREE_REPEATS} rounds; last: {last['text']} (out of memory as a whole?)"
    return ""


def advanced(entries: list[Entry]) -> bool:
    """Whether training got further between the first and the last of these incidents."""
    steps = [entry["step"] for entry in entries if entry["step"] is not None]
    if not steps:
        return any(entry["seconds"] >= EARLY_SECONDS for entry in entries)
    return max(steps) > steps[0]
