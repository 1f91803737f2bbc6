"""`agent: torchrun`: looks after torch's own elastic agent, which runs in a process of its own (elastic.py).

Who re-forms, and how often, is torch's business here. The launcher's: SIGTERM, waiting for node 0 and
saying so, going round again when node 0 was lost, the exit code of the process that failed first, and no
orphans.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import interrupt
from account import LONGEST_TRACEBACK, kind_of, told_by_stderr, told_in, words
from documents import FINAL, PEER, STOPPED_AFTER_SAVE, WRONG_INPUT, Plan, Report, first_plan
from ending import AGAIN, BAD_INPUT, DONE, FAILED, Ending
from guard import Guard, kill_group, sweep
from job import Job
from journal import STDERR, STDOUT, Journal
from link import reached
from memory import oom_kills
from processes import TICK_SECONDS
from pump import Pump
from reaper import reap
from verdict import described, first_failure
from waiting import Waiting

ELASTIC = Path(__file__).resolve().parent / "elastic.py"
AGENT_SECONDS = 5.0  # for the agent to end once its processes have
PROBE_SECONDS = 0.5


class Torchrun:
    """This node's part in a job that torch's agents run."""

    def __init__(self, job: Job, journal: Journal, guard: Guard, launcher: str) -> None:
        self.job, self.journal, self.guard, self.launcher = job, journal, guard, launcher
        self.folder = Path(tempfile.mkdtemp(prefix="rallypoint-torchrun-"))
        self.waiting = Waiting(job, journal)
        self.agents = 0
        self._err: Pump | None = None
        self._ooms = oom_kills()

    def run(self, before_end: Callable[[Plan], None]) -> Ending:
        """Takes part until the job is over, or until this node has to leave it; `before_end` writes the
        marker.
        """
        interrupt.watch()
        try:
            return self._ended(before_end)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _ended(self, before_end: Callable[[Plan], None]) -> Ending:
        while True:
            ending = self._reach_node_zero() or self._one_agent()
            if ending:
                if ending.code in (FAILED, BAD_INPUT) or (ending.code == DONE and self.job.index == 0):
                    before_end(self._plan(ending))
                return ending

    def _plan(self, ending: Ending) -> Plan:
        return {
            **first_plan(0.0),
            "round": self.agents,
            "code": ending.code,
            "text": ending.message,
            "report": self._report(ending),
        }

    def _report(self, ending: Ending) -> Report | None:
        if ending.rank is None or ending.node is None:
            return None
        return {
            "node": ending.node,
            "rank": ending.rank,
            "code": ending.code,
            "kind": "own",
            "what": ending.message,
            "step": ending.step,
            "seconds": 0.0,
            "traceback": ending.traceback,
        }

    def _reach_node_zero(self) -> Ending | None:
        """Waits until somebody listens at the endpoint; torch's agent itself gives up after a minute."""
        since = time.monotonic()
        while self.job.index:
            if interrupt.received():
                return self._stopped()
            try:
                reached(self.job.host, self.job.port).close()
            except ConnectionError as error:
                ending = self.waiting.turn(str(error), since, None)
                if ending:
                    return ending
                time.sleep(PROBE_SECONDS)
            else:
                return None
        return None

    def _one_agent(self) -> Ending | None:
        """Runs one agent to its end; None when another one should follow."""
        self.agents += 1
        result = self.folder / f"result-{self.agents}.json"
        self.journal.say(
            f"torch's elastic agent number {self.agents}: {self.job.ranks()}, {self.job.nodes} nodes"
        )
        agent = self._started(result)
        began = time.monotonic()
        until = None
        while agent.poll() is None and (until is None or time.monotonic() < until):
            if interrupt.received() and until is None:
                self.journal.say(
                    f"leaving; the processes have {self.job.grace_seconds:.0f} s to save and stop"
                )
                agent.send_signal(signal.SIGTERM)
                until = time.monotonic() + self.job.grace_seconds + AGENT_SECONDS
            reap((agent.pid,))
            time.sleep(TICK_SECONDS)
        kill_group(agent.pid)
        sweep(self.launcher)
        agent.wait()
        self.guard.forget(agent.pid)
        try:
            found = json.loads(result.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = {
                "outcome": "signal" if interrupt.received() else "connection",
                "message": f"ended with {agent.returncode}",
            }
        return self._ending(found, time.monotonic() - began)

    def _started(self, result: Path) -> subprocess.Popen[bytes]:
        agent = subprocess.Popen(
            [sys.executable, "-u", str(ELASTIC), self.job.contract, str(result), self.launcher],
            env={**os.environ, "RALLYPOINT_STEP_FILE": str(self.folder / "step")},
            cwd=self.job.workdir,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert agent.stdout and agent.stderr
        self.guard.watch(agent.pid)
        Pump(agent.stdout, self.journal.streams[STDOUT])
        self._err = Pump(agent.stderr, self.journal.streams[STDERR])
        return agent

    def _ending(self, found: dict[str, Any], seconds: float) -> Ending | None:
        """How this node ends after its agent has; None to go round again."""
        outcome = found["outcome"]
        if outcome == "done":
            return Ending(DONE, "done")
        if interrupt.received():
            return self._stopped()
        if outcome == "failed":
            return self._failed(found["failures"])
        if outcome == "timeout":
            limit = self.job.rendezvous_timeout_seconds
            return Ending(AGAIN, f"some of the {self.job.nodes} nodes did not come within {limit:.0f} s")
        if outcome == "closed":
            return Ending(AGAIN, "another node has ended and closed torch's rendezvous")
        self.journal.say(f"node 0's store was lost ({found.get('message', '')[:200]}); going round again")
        if seconds > self.job.rendezvous_timeout_seconds:
            self.waiting.begin()
        return self.waiting.turn("its store was lost", time.monotonic(), None)

    def _failed(self, failures: list[dict[str, Any]]) -> Ending:
        """The code of the process that failed first; a node that only lost a peer leaves the verdict to
        that peer's.
        """
        reports = [self._process_report(failure) for failure in failures]
        first = first_failure(reports)
        if first is None:
            return Ending(FAILED, "torch's agent reports a failure of no process")
        code = {WRONG_INPUT: BAD_INPUT, STOPPED_AFTER_SAVE: AGAIN, PEER: AGAIN, FINAL: FAILED}.get(
            first["kind"], FAILED
        )
        return Ending(code, described(first), first["rank"], first["node"], first["step"], first["traceback"])

    def _process_report(self, failure: dict[str, Any]) -> Report:
        assert self._err
        code, tail = int(failure["code"]), self._err.text()
        told = told_in(failure.get("recorded")) or told_by_stderr(tail)
        says = told.message if code > 0 and told and told.message else tail
        for_memory = code == -signal.SIGKILL and oom_kills() > self._ooms
        kind = kind_of(code, says, told.final if told else False, for_memory)
        trace = (told.traceback or tail)[-LONGEST_TRACEBACK:] if told else ""
        return {
            "node": self.job.index,
            "rank": int(failure["rank"]),
            "code": code,
            "kind": kind,
            "what": words(code, told)[:500],
            "step": self._step(),
            "seconds": float(failure["timestamp"]),
            "traceback": trace,
        }

    def _step(self) -> int | None:
        try:
            return int((self.folder / "step").read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def _stopped(self) -> Ending:
        return Ending(AGAIN, f"stopped by {signal.Signals(interrupt.received()).name}")
