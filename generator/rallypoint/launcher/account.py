"""The account of a failure: which process of this node ended how, in words."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any, NamedTuple

from documents import FINAL, OUT_OF_MEMORY, OWN, PEER, STOPPED_AFTER_SAVE, WRONG_INPUT, Report
from ending import AGAIN, BAD_INPUT, FAILED, Ending
from job import Job
from memory import oom_kills
from processes import Process, Processes
from verdict import first_failure

LOST_PEER = re.compile(
    r"closed by peer|reset by peer|Broken pipe|remote process exited|Dist(Backend|Network|Store)Error"
    r"|ProcessGroupNCCL|ncclRemoteError|[Tt]imed out waiting|[Ss]ocket [Tt]imeout|connectFullMesh"
    r"|failed to recv, got 0 bytes"
)
"""What gloo, NCCL and c10d say when it is another rank that has gone."""

ERROR_LINE = re.compile(
    r"^(?:\[rank\d+\]: ?)?([\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b(?:: .*)?)$", re.M
)
RANK_PREFIX = re.compile(r"^\[rank\d+\]: ?", re.M)
OUT_OF_MEMORY_TEXT = "killed by the kernel: the container's memory limit is reached"
LONGEST_TRACEBACK = 3000


class Told(NamedTuple):
    """What a program said of its own failure."""

    message: str
    traceback: str
    final: bool


def told_by_file(path: Path) -> Told | None:
    """The error file in torchelastic's form; None when there is none or it is no such thing.

    Source: torch 2.15, torch/distributed/elastic/multiprocessing/errors/error_handler.py.
    """
    try:
        return told_in(json.loads(path.read_text(encoding="utf-8", errors="replace")))
    except (OSError, ValueError, RecursionError):
        return None


def told_in(recorded: Any) -> Told | None:
    """What the content of an error file says; None when it is none."""
    found = recorded.get("message") if isinstance(recorded, dict) else None
    if found is None:
        return None
    if not isinstance(found, dict):
        return Told(str(found), "", False)
    extra = found.get("extraInfo")
    extra = extra if isinstance(extra, dict) else {}
    return Told(str(found.get("message", "")), str(extra.get("py_callstack", "")), bool(extra.get("final")))


def told_by_stderr(tail: str) -> Told | None:
    """The last error line of stderr, else its last line; with the traceback's end."""
    text = RANK_PREFIX.sub("", tail)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = ERROR_LINE.findall(text)
    if not lines:
        return None
    start = text.rfind("Traceback (most recent call last)")
    return Told(errors[-1] if errors else lines[-1], text[start:] if start >= 0 else "", False)


def words(code: int, told: Told | None) -> str:
    """One line that says how the process ended."""
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"killed by {name}"
    return next(iter(told.message.splitlines()), "") if told and told.message else f"ended with {code}"


def kind_of(code: int, text: str, final: bool, for_memory: bool) -> str:
    """What kind of end this is; `text` is all that the process said."""
    if code == BAD_INPUT:
        return WRONG_INPUT
    if code == AGAIN:
        return STOPPED_AFTER_SAVE
    if for_memory:
        return OUT_OF_MEMORY
    if final:
        return FINAL
    return PEER if code in (1, -signal.SIGABRT) and LOST_PEER.search(text) else OWN


def process_report(process: Process, node: int, for_memory: bool) -> Report | None:
    """The report on one process; None when it is well, or was stopped by this launcher.

    One that had recorded its failure, and was slow to end, is told by what it recorded.
    """
    code = process.popen.returncode
    if process.stopped_by_us and process.had_failed:
        code = FAILED
    elif code is None or code == 0 or process.stopped_by_us:
        return None
    process.err.drain(0.5)
    tail = process.err.text()
    told = told_by_file(process.error_file) or told_by_stderr(tail)
    # the message alone after an exception: a program may log a peer's trouble and then fail of its own
    says = told.message if code > 0 and told and told.message else tail
    kind = kind_of(code, says, told.final if told else False, for_memory and code == -signal.SIGKILL)
    what = OUT_OF_MEMORY_TEXT if kind == OUT_OF_MEMORY else words(code, told)
    trace = (told.traceback or tail) if told else ""
    return {
        "node": node,
        "rank": process.rank,
        "code": code,
        "kind": kind,
        "what": what[:500],
        "step": process.step(),
        "seconds": round(process.ended_after or 0.0, 2),
        "traceback": trace[-LONGEST_TRACEBACK:],
    }


def node_report(processes: Processes, node: int) -> Report | None:
    """Why this node's round ended: the report on the process that says most; None when nothing was wrong
    here.
    """
    for_memory = oom_kills() > processes.ooms
    return first_failure(process_report(process, node, for_memory) for process in processes.all)


def saved_report(processes: Processes, node: int) -> Report | None:
    """The report of a node that was told to stop, when its processes say that they stopped after a save."""
    saved = [process for process in processes.all if process.popen.returncode == AGAIN]
    return _report(node, saved[0].rank, AGAIN, "stopped after a save") if saved else None


def start_report(job: Job, what: str, code: int) -> Report:
    """The report on a node whose processes could not be started."""
    return _report(job.index, job.rank(0), code, what)


def ending_of(code: int, text: str, report: Report | None) -> Ending:
    """How a node ends, with what the report says of the rank that failed first."""
    if report is None:
        return Ending(code, text)
    return Ending(code, text, report["rank"], report["node"], report["step"], report["traceback"])


def _report(node: int, rank: int, code: int, what: str) -> Report:
    return {
        "node": node,
        "rank": rank,
        "code": code,
        "kind": kind_of(code, "", final=False, for_memory=False),
        "what": what,
        "step": None,
        "seconds": 0.0,
        "traceback": "",
    }
