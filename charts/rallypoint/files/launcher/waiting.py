"""A node that waits for others: whom it waits for, since when, why, and when it gives up."""

from __future__ import annotations

import time

from documents import Plan, listed
from ending import AGAIN, Ending
from job import Job
from journal import Journal

QUIET_SECONDS = 2.0  # an ordinary start is not worth a line
NEWS_SECONDS = 5.0  # between two lines that say something new
AGAIN_SECONDS = 30.0  # between two lines that say the same
LEADER_FIRST_SECONDS = 5.0  # the leader, where there is one, ends a gathering for all


class Waiting:
    """The present wait of this node."""

    def __init__(self, job: Job, journal: Journal) -> None:
        self._job, self._journal = job, journal
        self._said, self._said_at = "", 0.0
        self.begin()

    def begin(self) -> None:
        """A wait begins now."""
        self._since = time.monotonic()

    def turn(self, trouble: str, trouble_since: float, plan: Plan | None) -> Ending | None:
        """Says now and then whom this node waits for; how it ends once it has waited too long."""
        now = time.monotonic()
        waited, limit = now - self._since, self._job.rendezvous_timeout_seconds
        whom = self._whom(trouble, plan)
        due = NEWS_SECONDS if whom != self._said else AGAIN_SECONDS
        if whom and waited > QUIET_SECONDS and now - self._said_at > due:
            since = time.strftime("%H:%M:%S", time.localtime(time.time() - waited))
            self._journal.say(f"waiting for {whom}; since {since}, for {waited:.0f} s, at most {limit:.0f} s")
            self._said, self._said_at = whom, now
        if waited < limit + (0 if trouble else LEADER_FIRST_SECONDS):
            return None
        return Ending(AGAIN, f"waited {waited:.0f} s for {whom or 'the other nodes'}")

    def _whom(self, trouble: str, plan: Plan | None) -> str:
        if trouble:
            return f"node 0: {trouble}"
        return listed(plan["missing"]) if plan and plan["missing"] else ""
