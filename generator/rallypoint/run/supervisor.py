"""Keeps the launchers of all nodes going, as a cluster would keep the pods, and ends them together."""

from __future__ import annotations

import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import IO

from rallypoint.run.agent import Agent, Pipe, described
from rallypoint.run.screen import Screen
from rallypoint.run.story import Story

WATCH = Path(__file__).with_name("watch.py")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN = 143
TURN_SECONDS = 0.1
AGAIN_SECONDS = 1.0  # from a launcher's end to its next start; a cluster takes longer
QUICK_SECONDS = 30.0  # a launcher that ends sooner than that has not got far
QUICK_ENDS = 5  # so many of them in a row, and starting again is of no use
OTHERS_SECONDS = 20.0  # what the other launchers get to end by themselves; node 0 waits up to 15 s for them
PIPE_SECONDS = 5.0  # what is left in the pipes of a launcher that is gone
SAME_STOP_SECONDS = 0.5  # make and other runners pass on a Ctrl-C that the terminal has sent already
SPARE_SECONDS = 10.0  # over the job's grace period, in which the launchers end their processes


class Watch:
    """The process that ends the launchers when this one cannot; `keep` is held open for as long."""

    def __init__(self, seconds: float, folder: Path, keep: IO[str] | None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(WATCH), str(seconds), str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True, pass_fds=() if keep is None else (keep.fileno(),),
        )  # fmt: skip

    def tell(self, sign: str, process: int) -> None:
        """Name a launcher that has started (+) or ended (-)."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{sign}{process}\n")
            self._process.stdin.flush()
        except OSError:
            pass  # somebody ended the watch; this process still ends the launchers itself

    def close(self) -> None:
        """Let it go; it removes the temporary folder on its way."""
        self._process.communicate()


def _under_nohup() -> bool:
    """Whether this process is to outlive its terminal."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


class Supervisor:
    """All launchers of one run, from their start to the last one's end."""

    def __init__(
        self, agents: list[Agent], watch: Watch, story: Story, screen: Screen, grace_seconds: float
    ) -> None:
        self.agents = agents
        self.stopped_by: int | None = None
        """The signal that ended the run, when one did."""
        self.restarts = 0
        """How often a launcher was started again."""
        self.gave_up = ""
        """Why a launcher was not started again any more."""
        self._watch, self._story, self._screen, self._grace = watch, story, screen, grace_seconds
        self._selector = selectors.DefaultSelector()
        self._deadline: float | None = None
        self._told_stop = False
        self._stopped_at = 0.0
        self._gone: dict[int, float] = {}
        self._pids: dict[int, int] = {}

    def run(self) -> None:
        """Return when every launcher has ended for good."""
        heard = [number for number in SIGNALS if number != signal.SIGHUP or not _under_nohup()]
        before = {number: signal.signal(number, self._stop) for number in heard}
        try:
            for agent in self.agents:
                if self.stopped_by is None:
                    self._start(agent)
            while any(agent.process is not None or agent.due is not None for agent in self.agents):
                self._turn()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @property
    def codes(self) -> list[int | None]:
        """How each node ended, in node order."""
        return [agent.code for agent in self.agents]

    def _start(self, agent: Agent) -> None:
        process = agent.start()
        self._pids[agent.node] = process
        self._watch.tell("+", process)
        self._gone.pop(agent.node, None)
        for pipe in agent.pipes:
            self._selector.register(pipe.source, selectors.EVENT_READ, (agent, pipe))
        if self.stopped_by is not None:  # the signal came while it started
            agent.signal(signal.SIGTERM)

    def _turn(self) -> None:
        for key, _ in self._selector.select(TURN_SECONDS):
            self._read(*key.data)
        self._story.tick()
        self._screen.tick()
        for agent in self.agents:
            self._look(agent)
            self._tell_of_log(agent)
        self._hurry()

    def _read(self, agent: Agent, pipe: Pipe) -> None:
        source = pipe.source
        data, lines = pipe.read()
        if not pipe.open:
            self._selector.unregister(source)
        agent.log(data)
        for line in lines:
            self._story.line(agent.node, pipe.name, line)

    def _tell_of_log(self, agent: Agent) -> None:
        """Say once that a node's log is no more."""
        if agent.log_error is not None:
            why, agent.log_error = agent.log_error.strerror, None
            self._screen.say(f"node {agent.node}: its log cannot be written ({why}); going on without it")

    def _look(self, agent: Agent) -> None:
        """Notice a launcher's end, and start one whose time has come."""
        if agent.process is not None and agent.process.poll() is not None:
            since = self._gone.setdefault(agent.node, time.monotonic())
            if time.monotonic() - since > PIPE_SECONDS:
                for pipe in agent.pipes:
                    if pipe.open:
                        self._selector.unregister(pipe.source)
                agent.abandon_pipes()
        code = agent.ended()
        if code is not None:
            self._watch.tell("-", self._pids[agent.node])
            self._ended(agent, code)
        if agent.due is not None and time.monotonic() >= agent.due:
            self.restarts += 1
            self._start(agent)

    def _ended(self, agent: Agent, code: int) -> None:
        """Decide what comes of a launcher's end: 0, 1 and 2 are for good, anything else is started again."""
        finished = any(other.code == 0 for other in self.agents)
        if code in (0, 1, 2) or self.stopped_by is not None or finished or self._deadline is not None:
            agent.code = code
            if code in (1, 2) and self._deadline is None:
                self._deadline = time.monotonic() + OTHERS_SECONDS
            return
        agent.quick_ends = agent.quick_ends + 1 if agent.lived() < QUICK_SECONDS else 1
        if agent.quick_ends >= QUICK_ENDS:
            agent.code = 1
            self.gave_up = (
                f"node {agent.node} {described(code)}, {QUICK_ENDS} times in a row soon after its start"
            )
            self._deadline = time.monotonic()
            return
        agent.due = time.monotonic() + AGAIN_SECONDS
        self._screen.say(
            f"node {agent.node}: its launcher was {described(code)}; starting it again", "yellow"
        )

    def _hurry(self) -> None:
        """Ask, then kill, what is still there after a failure or a signal."""
        if self.stopped_by is not None and not self._told_stop:
            self._told_stop = True
            name = signal.Signals(self.stopped_by).name
            self._screen.over_echo()
            self._screen.say(
                f"stopping ({name}); the processes save what they can, once more ends them at once"
            )
            self._forget_starts()
            self._deadline = time.monotonic() + self._grace + SPARE_SECONDS
        if self._deadline is None or time.monotonic() < self._deadline:
            return
        self._forget_starts()
        asked = self._told_stop
        self._each(lambda agent: agent.signal(signal.SIGKILL if asked else signal.SIGTERM))
        self._told_stop, self._deadline = True, time.monotonic() + self._grace + SPARE_SECONDS

    def _forget_starts(self) -> None:
        for agent in self.agents:
            if agent.due is not None:
                agent.due, agent.code = None, AGAIN

    def _each(self, act: Callable[[Agent], None]) -> None:
        for agent in self.agents:
            act(agent)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        """Signal handler. It acts at once: the loop may be held up by a reader of our output."""
        now = time.monotonic()
        again = self.stopped_by is not None
        if again and now - self._stopped_at < SAME_STOP_SECONDS:
            return
        self.stopped_by = self.stopped_by or number
        self._stopped_at = now
        self._each(lambda agent: agent.signal(signal.SIGKILL if again else signal.SIGTERM))
