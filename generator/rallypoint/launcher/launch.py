"""From the contract to the exit code: checks, the job itself, markers, and the termination message last."""

from __future__ import annotations

import os
import socket
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

import interrupt
from command import check_files
from documents import Plan, used
from ending import AGAIN, BAD_INPUT, DONE, FAILED, Ending, termination_message, write_termination_message
from guard import Guard
from job import BadContractError, Job, job_of
from journal import Journal
from leader import Leader
from node import Node
from output import (
    DONE_MARKER,
    FAILED_MARKER,
    OutputError,
    check_writable,
    clear_the_way,
    finished,
    write_marker,
)
from torchrun import Torchrun

OLDEST_PYTHON = (3, 10)
IDLE_SECONDS = 0.2


def launch(arguments: list[str]) -> int:
    """Runs this node to its end; the exit code. Wrong input is one line, never a traceback."""
    try:
        if sys.version_info < OLDEST_PYTHON:
            raise BadContractError(f"python: 3.10 or newer is needed (this is {sys.version.split()[0]})")
        if len(arguments) != 1:
            raise BadContractError("usage: python3 -u <launcher folder> <contract.json>")
        job = job_of(arguments[0], os.environ)
    except BadContractError as error:
        return _refuse(str(error))
    launcher = uuid.uuid4().hex[:12]
    guard = Guard(launcher)  # forks: before any thread
    journal = Journal(job.index)
    journal.say(first_line(job))
    over = _over_already(job, journal)
    if over is not None:
        journal.flush()
        return over
    ending = _checked(job) or _run(job, journal, guard, launcher)
    return _close(job, journal, ending)


def first_line(job: Job) -> str:
    """The first line of the log: who this is."""
    where = f"node {job.index} of {job.nodes} on {socket.gethostname()}"
    return f"{job.ranks()}, {where}, round 0 (gathering at {job.host}:{job.port}), run {job.run_id}"


def _refuse(message: str) -> int:
    """Ends before anything has begun, for wrong input."""
    print(f"rallypoint: {message}", file=sys.stderr, flush=True)
    write_termination_message(termination_message(Ending(BAD_INPUT, message), {}))
    return BAD_INPUT


def _checked(job: Job) -> Ending | None:
    """How it ends when the output cannot be written or the script is not there."""
    try:
        check_files(job)
        if job.output:
            check_writable(Path(job.output))
    except BadContractError as error:
        return Ending(BAD_INPUT, str(error))
    except OutputError as error:
        return Ending(AGAIN if error.passing else BAD_INPUT, str(error))
    return None


def _over_already(job: Job, journal: Journal) -> int | None:
    """The exit code when a marker says that this very run is over; None when there is something to do."""
    marker = finished(Path(job.output), job.run_id) if job.output else None
    if not marker:
        return None
    if marker.code == DONE:
        text = f"this run is done already ({marker.path}); nothing to do"
    else:
        text = f"this run has failed already ({marker.path}): {marker.message}"
        text += "; take the marker away to try it again"
    journal.say(text)
    if job.idle_when_done:
        return _idle(journal)
    ending = Ending(marker.code, text)
    write_termination_message(termination_message(ending, {"run_id": job.run_id}))
    return marker.code


def _idle(journal: Journal) -> int:
    """Stays until told to stop: this kind of pod would be started again for ever."""
    journal.say("idle until this pod is stopped; scale the StatefulSet to 0, or delete the job")
    interrupt.watch()
    while not interrupt.received():
        time.sleep(IDLE_SECONDS)
    return DONE


def _run(job: Job, journal: Journal, guard: Guard, launcher: str) -> Ending:
    def mark(plan: Plan) -> None:
        _mark(job, journal, plan)

    if job.agent == "torchrun":
        clear_the_way(job, journal)
        return Torchrun(job, journal, guard, launcher).run(mark)
    leader = Leader(job, mark) if job.index == 0 else None
    if leader:
        leader.start()
    return Node(job, journal, guard, launcher, leader).run()


def _mark(job: Job, journal: Journal, plan: Plan) -> None:
    """Writes the marker of a run that is over, before any node learns of it: a node 0 that dies now finds
    it again.
    """
    if not job.output or plan["code"] == AGAIN:
        return
    fields: dict[str, object] = {
        "run_id": job.run_id,
        "name": job.name,
        "rounds": plan["round"],
        "restarts_counted": used(plan["ledger"]),
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),  # noqa: UP017 - images with python 3.10
    }
    report = plan["report"]
    if plan["code"] != DONE:
        fields |= {"code": plan["code"], "message": plan["text"]}
        fields |= {key: report[key] if report else None for key in ("rank", "node", "step", "traceback")}
    try:
        write_marker(Path(job.output), DONE_MARKER if plan["code"] == DONE else FAILED_MARKER, fields)
    except OSError as error:
        journal.say(f"output: the marker cannot be written to {job.output} ({error.strerror or error})")


def _close(job: Job, journal: Journal, ending: Ending) -> int:
    """The last acts: the log's last line, then the termination message."""
    journal.say(f"ends with {ending.code}: {ending.message}")
    journal.flush()
    write_termination_message(termination_message(ending, {"run_id": job.run_id}))
    if job.idle_when_done and not job.output and ending.code in (DONE, FAILED, BAD_INPUT):
        return _idle(journal)  # no marker to find after a restart
    return ending.code
