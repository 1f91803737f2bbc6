"""What of the nodes' output a person wants to see: the run as one story instead of N logs.

Node 0's lines are passed on; those of other nodes when they say something else. A line on stderr is held
back a moment: when its round turns out to have failed it is part of a traceback, which the end tells once.
"""

from __future__ import annotations

import re
import time
from collections import deque
from typing import Any, NamedTuple

from rallypoint.run.agent import STDERR
from rallypoint.run.screen import Screen
from rallypoint.run.training import Training
from rallypoint.told import told

EVENT = "rallypoint: {"
JOURNAL = re.compile(r"\[rallypoint \d\d:\d\d:\d\d node (\d+)\] (.*)")
"""A launcher's own line."""
_AGAIN = re.compile(r"round (\d+): .*?; again because (.*); restarts used: (\d+ of \d+)")
_OVER = re.compile(r".*; ended with -?\d+ after [\d.]+ s|the processes ended with .*")
"""A launcher's line after a round of its node that did not end well."""
_TOLD = ("waiting for", "the marker of another run", "output:")
"""Beginnings of the launcher's lines that a person at this machine can use."""
_TORCH_LOG = re.compile(r"(\[rank\d+\]:)?\[[WEIF]\d{3,4} ")
"""torch's C++ log lines: those of several nodes differ in time, process and port alone."""
HELD_SECONDS = 3.0  # from a traceback to the launcher's word on it; the process still has to end
TWIN_SECONDS = 1.0  # from another node's line to node 0's same one
REMEMBERED = 500  # lines of node 0 among which another node's line looks for its twin


class Held(NamedTuple):
    """A line that waits for what comes next."""

    due: float
    node: int
    pipe: str
    text: str


class Story:
    """Turns the nodes' lines into lines on the screen."""

    def __init__(self, screen: Screen, training: Training, nodes: int, verbose: bool) -> None:
        self._screen, self._training, self._nodes, self._verbose = screen, training, nodes, verbose
        self._held: list[Held] = []
        self._seen: deque[str] = deque(maxlen=REMEMBERED)
        self._waits: str = ""

    def line(self, node: int, pipe: str, text: str) -> None:
        """Take one line that a node printed."""
        event = _event(text)
        if event is not None:
            self._training.event(event)
        if self._verbose:
            self._show(node, pipe, f"node {node}: {text}")
        elif event is None:
            self._choose(node, pipe, text)

    def tick(self) -> None:
        """Show what was held long enough."""
        now = time.monotonic()
        due = [held for held in self._held if held.due <= now]
        if due:
            self._held = [held for held in self._held if held.due > now]
            self._release(due)

    def end(self, failed: bool) -> None:
        """Show what is still held; after a failure only what was not on stderr."""
        rest, self._held = self._held, []
        self._release([held for held in rest if not (failed and held.pipe == STDERR)])

    def _choose(self, node: int, pipe: str, text: str) -> None:
        journal = JOURNAL.fullmatch(text)
        if journal:
            self._journal(node, journal[2])
            return
        if node == 0:
            self._seen.append(_key(text, pipe))
        wait = HELD_SECONDS if pipe == STDERR else TWIN_SECONDS if node else 0.0
        if wait:
            self._held.append(Held(time.monotonic() + wait, node, pipe, text))
        else:
            self._show(node, pipe, text)

    def _journal(self, node: int, text: str) -> None:
        """A launcher's own line, in fewer words; most are for the log alone."""
        again = _AGAIN.fullmatch(text)
        if _OVER.fullmatch(text):
            self._held = [held for held in self._held if (held.node, held.pipe) != (node, STDERR)]
        elif again and node == 0:
            used = "" if again[3].startswith("0 ") else f" (restarts used: {again[3]})"
            self._screen.say(f"round {again[1]} begins; before: {again[2]}{used}", "yellow")
            self._training.interrupted()
        elif text.startswith(_TOLD) and (node == 0 or text.startswith("waiting for node 0")):
            whom = text.partition(";")[0]
            if whom != self._waits:  # one line for all nodes that wait for the same
                self._waits = whom
                self._screen.say(text, "yellow")

    def _release(self, lines: list[Held]) -> None:
        for held in lines:
            key = _key(held.text, held.pipe)
            if held.node and key in self._seen:
                continue
            if held.node:
                self._seen.append(key)
            self._show(held.node, held.pipe, f"node {held.node}: {held.text}" if held.node else held.text)

    def _show(self, node: int, pipe: str, text: str) -> None:
        if pipe == STDERR:
            self._screen.say(text)
        else:
            self._screen.put(text)


def _key(text: str, pipe: str) -> str:
    """What makes two nodes' lines the same: the text, on stderr without its numbers."""
    if pipe == STDERR or _TORCH_LOG.match(text):
        return re.sub(r"\d+(\.\d+)?", "#", text)
    return text


def _event(text: str) -> dict[str, Any] | None:
    """The event that a line carries, as `rallypoint: {"event": ...}`; None when it is another line."""
    if not text.startswith(EVENT):
        return None
    found = told(text[len(EVENT) - 1 :])
    return found if isinstance(found.get("event"), str) else None
