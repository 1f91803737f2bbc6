"""Node 0's second job: hosts the store, and publishes the plan that follows from the nodes' documents."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from decision import Limits, decide
from documents import ABSENT, END, GONE, RUN, Plan, first_plan
from job import Job
from store import Store, listening
from table import Table

TURN_SECONDS = 0.1
LONGEST_TURN_SECONDS = 2.0  # a turn that took longer: this process was frozen, not the others silent
PORTS = (
    20000,
    28999,
)  # below the ports that Linux gives to outgoing connections, so that none takes it meanwhile


def free_port() -> int:
    """A port of this node that nobody uses now, for the process group's own store in the coming round."""
    for _ in range(100):
        port = random.randint(*PORTS)  # noqa: S311 - not a secret
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


class Leader(threading.Thread):
    """The thread of node 0 that leads; `trouble` says why it cannot, `finished` that every node has read
    the end.
    """

    def __init__(self, job: Job, before_end: Callable[[Plan], None]) -> None:
        """`before_end` is called with the last plan before any node reads it: the markers are written
        first.
        """
        super().__init__(daemon=True)
        self.trouble = ""
        self.finished = threading.Event()
        self._job, self._before_end = job, before_end
        self._limits = Limits(job.max_restarts, job.rendezvous_timeout_seconds)
        self._version = 0

    def run(self) -> None:
        """Leads until the launcher ends."""
        store = Store(self._listen())
        now = time.monotonic()
        self._table = Table(self._job.run_id, self._job.nodes, now)
        self._plan = first_plan(now)
        self._publish()
        while True:
            store.serve(TURN_SECONDS, self._answer)
            turn, now = time.monotonic() - now, time.monotonic()
            if turn > LONGEST_TURN_SECONDS:
                self._table.slept(turn)
                continue  # hear them first, then judge
            self._lead(now)

    def _listen(self) -> socket.socket:
        while True:
            try:
                return listening(self._job.host, self._job.port)
            except OSError as error:
                self.trouble = f"cannot listen on port {self._job.port}: {error.strerror or error}"
                time.sleep(0.5)  # the launcher before this one may still be leaving

    def _lead(self, now: float) -> None:
        self.trouble = ""
        silent = self._table.silent(now)
        following = decide(self._limits, self._plan, self._table.documents, silent, now)
        if following != self._plan:
            if following["phase"] == RUN and following["round"] > self._plan["round"]:
                following["port"] = free_port()
            if following["phase"] == END:
                self._before_end(following)
            self._plan = following
            self._publish()
        if self._plan["phase"] == END and self._all_gone(silent):
            self.finished.set()

    def _all_gone(self, silent: set[int]) -> bool:
        """Whether every node that can still read the end has read it."""
        states = [document["state"] for document in self._table.documents]
        deaf = silent | set(self._plan["missing"])
        return all(state in (GONE, ABSENT) or index in deaf for index, state in enumerate(states))

    def _publish(self) -> None:
        self._version += 1
        self._whole = json.dumps({"plan": self._plan, "version": self._version}).encode()
        self._same = json.dumps({"version": self._version}).encode()

    def _answer(self, message: Any) -> bytes:
        refusal = self._table.take(message, time.monotonic())
        if refusal:
            return json.dumps({"refused": refusal}).encode()
        return self._same if message.get("seen") == self._version else self._whole
