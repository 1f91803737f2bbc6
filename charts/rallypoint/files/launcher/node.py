"""One node of the job: follows the plan, keeps its document true, and leaves with the right code."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import interrupt
from account import ending_of, node_report, saved_report, start_report
from command import check_files
from documents import (
    END,
    GATHER,
    GONE,
    LEAVING,
    NODE_DONE,
    READY,
    RUN,
    RUNNING,
    Document,
    Plan,
    longer,
    new_document,
    used,
)
from ending import AGAIN, BAD_INPUT, FAILED, Ending
from guard import Guard
from job import BadContractError, Job
from journal import Journal
from leader import Leader
from link import Link
from output import clear_the_way
from processes import TICK_SECONDS, Processes
from reaper import reap
from verdict import described
from waiting import Waiting

SETTLE_SECONDS = 1.0  # a process that lost a peer is about to say so itself
REFORM_SECONDS = 1.0  # what a process gets to end by itself when its round is over anyway
LINGER_SECONDS = 15.0  # node 0 waits so long for the others to read the end
HURRY_SECONDS = 2.0  # the same when this pod is being stopped: ten exchanges of the others
FLUSH_SECONDS = 5.0
STEP_SECONDS = 1.0  # between two looks at the step files


class Node:
    """This launcher's part in the job."""

    def __init__(
        self, job: Job, journal: Journal, guard: Guard, launcher: str, leader: Leader | None
    ) -> None:
        self.job, self.journal, self.guard, self.launcher, self.leader = job, journal, guard, launcher, leader
        self.document: Document = new_document(launcher)
        self.link = Link(job, self.document)
        self.processes: Processes | None = None
        self.waiting = Waiting(job, journal)
        self._step_read = self._step_changed = 0.0

    def run(self) -> Ending:
        """Takes part in the job until it is over, or until this node has to leave it."""
        interrupt.watch()
        while True:
            ending = self._turn()
            if ending:
                return ending
            time.sleep(TICK_SECONDS)

    def _turn(self) -> Ending | None:
        plan = self.link.plan
        reap(self.processes.pids() if self.processes else ())
        if interrupt.received():
            return self._leave(signal.Signals(interrupt.received()).name)
        if self.link.replaced:
            return self._leave("another launcher has taken this node's place")
        if plan and plan["phase"] == END:
            return self._end(plan)
        if self.processes:
            return self._watch(self.processes, plan)
        if plan and self._may_start(plan):
            self._start(plan)
            return None
        trouble = self.leader.trouble if self.leader and self.leader.trouble else self.link.trouble
        return self.waiting.turn(trouble, self.link.trouble_since, plan)

    def _may_start(self, plan: Plan) -> bool:
        mine = self.document
        is_new = plan["phase"] == RUN and plan["round"] > mine["round"]
        return is_new and plan["members"][self.job.index] == mine["launcher"]

    def _say(self, state: str, **more: object) -> None:
        ledger = self.document["ledger"]
        if self.link.plan:
            ledger = longer(ledger, self.link.plan["ledger"])
        self.document = {**self.document, "state": state, "ledger": ledger, **more}  # type: ignore[typeddict-item]
        self.link.send(self.document)

    def _start(self, plan: Plan) -> None:
        job, number = self.job, plan["round"]
        if number == 1:
            clear_the_way(job, self.journal)
        again = f"; again because {plan['why']}" if plan["why"] else ""
        count = f"; restarts used: {used(plan['ledger'])} of {job.max_restarts}" if again else ""
        where = f"{job.nodes} nodes, master {job.host}:{plan['port']}"
        self.journal.say(f"round {number}: {job.ranks()}, {where}{again}{count}")
        self._say(RUNNING, round=number, report=None, step=None, seconds=0.0)
        try:
            check_files(job)
            self.processes = Processes(job, plan, self.launcher, self.guard, self.journal)
        except (BadContractError, OSError) as error:
            bad = isinstance(error, BadContractError)
            self._could_not_start(str(error), BAD_INPUT if bad else FAILED)

    def _could_not_start(self, what: str, code: int) -> None:
        """Reports a round that ended before it began; the plan's answer says what comes of it."""
        self.journal.say(what)
        self.waiting.begin()
        self._say(READY, report=start_report(self.job, what, code))

    def _watch(self, processes: Processes, plan: Plan | None) -> Ending | None:
        codes = processes.codes()
        overtaken = plan is not None and plan["round"] <= processes.round and plan["phase"] == GATHER
        overtaken = overtaken or (plan is not None and plan["round"] > processes.round)
        if any(codes) or overtaken:
            self._stop_round(processes, patient=plan["patient"] if plan and overtaken else False)
        elif None not in codes:
            self._done(processes)
        elif time.monotonic() - self._step_read > STEP_SECONDS:
            self._step_read = time.monotonic()
            step = processes.step()
            if step != self.document["step"]:
                self._step_changed = self._step_read
            self._say(RUNNING, step=step, seconds=round(self._step_read - processes.started, 1))
        return self._cut_off() if self.link.trouble and self.processes else None

    def _cut_off(self) -> Ending | None:
        """Ends a node whose processes run on while node 0 has not been heard for longer than any gathering
        may take.
        """
        since = max(self.link.trouble_since, self._step_changed)
        if time.monotonic() - since < self.job.rendezvous_timeout_seconds:
            return None
        self._leave_processes()
        return Ending(AGAIN, f"node 0 was out of reach for too long: {self.link.trouble}")

    def _stop_round(self, processes: Processes, patient: bool) -> None:
        """Ends what is left of a round and reports what happened here."""
        patient = patient or AGAIN in processes.codes()  # others are still writing what they agreed to save
        self._wait(processes.running, self.job.grace_seconds if patient else SETTLE_SECONDS)
        if interrupt.received() and processes.running():
            return  # this node itself is to leave now, and its processes have the grace period for that
        if processes.running():
            processes.terminate()
            self._wait(processes.running, REFORM_SECONDS)
        step, seconds = processes.step(), time.monotonic() - processes.started
        processes.kill()
        report = node_report(processes, self.job.index)
        self._close(processes)
        if report:
            self.journal.say(
                f"{described(report)}; ended with {report['code']} after {report['seconds']:.1f} s"
            )
        self.waiting.begin()
        self._say(READY, report=report, step=step, seconds=round(seconds, 1))

    def _done(self, processes: Processes) -> None:
        self._close(processes)
        self.waiting.begin()
        self._say(NODE_DONE, step=self.document["step"])

    def _close(self, processes: Processes) -> None:
        processes.kill()
        processes.close()
        self.processes = None

    def _wait(self, while_true: Callable[[], bool], seconds: float) -> None:
        """Waits while that is so, at most so long; a stop signal is answered by the caller's next turn."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and while_true() and not interrupt.received():
            time.sleep(TICK_SECONDS)

    def _leave(self, why: str) -> Ending:
        """Leaves for an outside reason: never with 0, else Kubernetes would count this node as done."""
        if self.processes and set(self.processes.codes()) == {0}:  # they ended before they were told to
            self._done(self.processes)
        if self.document["state"] == NODE_DONE and not self.link.replaced:
            ended = self._end_soon()
            if ended:
                return ended
        saved = self._leave_processes()
        outcome = "; its processes saved and stopped" if saved else ""
        return Ending(AGAIN, f"stopped by {why}{outcome}" if why.startswith("SIG") else why)

    def _end_soon(self) -> Ending | None:
        """This node is done; when all the others are done too within the grace period, the job is."""
        until = time.monotonic() + self.job.grace_seconds
        while time.monotonic() < until and not self.link.trouble:
            plan = self.link.plan
            if plan and plan["phase"] == END:
                return self._end(plan)
            if plan and (plan["phase"] == GATHER or plan["round"] > self.document["round"]):
                return None
            time.sleep(TICK_SECONDS)
        return None

    def _leave_processes(self) -> bool:
        """Passes the signal on, grants the grace period, kills the rest; True when a process stopped after
        a save.
        """
        report = None
        if self.processes:
            self.journal.say(f"leaving; the processes have {self.job.grace_seconds:.0f} s to save and stop")
            until = time.monotonic() + self.job.grace_seconds
            self.processes.terminate()
            while self.processes.running() and time.monotonic() < until:
                time.sleep(TICK_SECONDS)
            self.processes.kill()
            self.journal.say(
                f"the processes ended with {', '.join(str(code) for code in self.processes.codes())}"
            )
            report = saved_report(self.processes, self.job.index)
            self._close(self.processes)
        self._say(LEAVING, report=report)
        self._flush(1.0)
        return report is not None

    def _end(self, plan: Plan) -> Ending:
        if self.processes:
            self._stop_round(self.processes, patient=False)
        ending = ending_of(plan["code"], plan["text"], plan["report"])
        self._say(GONE)
        self._flush(FLUSH_SECONDS)
        if self.leader:
            self._linger(self.leader)
        return ending

    def _linger(self, leader: Leader) -> None:
        """Stays until the others have read the end from this node's store."""
        began = time.monotonic()
        while not leader.finished.is_set():
            limit = HURRY_SECONDS if interrupt.received() else LINGER_SECONDS
            if time.monotonic() - began > limit:
                return
            time.sleep(TICK_SECONDS)

    def _flush(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self.link.delivered and time.monotonic() < until and not self.link.trouble:
            time.sleep(TICK_SECONDS)
