"""Sees to it that no process outlives its launcher, however the launcher ends.

The launcher forks the guard before it has any thread. A pipe joins the two: when the launcher dies, by
whatever signal, the pipe closes, and the guard kills the process groups it was told of, and whatever else
carries the launcher's mark.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

MARK = "RALLYPOINT_LAUNCHER"
"""In the environment of every process; its children inherit it, in sessions of their own or not."""

PROCESSES = Path("/proc")


def kill_group(group: int) -> None:
    """Kills a process group: it outlives its leader, so that data loader processes go with it."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # nobody left in it, or only processes that are being reaped


def marked(launcher: str) -> list[int]:
    """Processes that carry the launcher's mark, wherever they have gone; only Linux can tell."""
    mark, found = f"{MARK}={launcher}".encode(), []
    for path in PROCESSES.glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue  # another user's, or gone
    return found


def sweep(launcher: str) -> None:
    """Kills what still carries the mark: children that left the group of their process."""
    for process in marked(launcher):
        try:
            os.kill(process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


class Guard:
    """The launcher's end of the pipe."""

    def __init__(self, launcher: str) -> None:
        """Forks the guard process. There must be no thread yet."""
        ear, self._voice = os.pipe()
        if os.fork() == 0:
            os.close(self._voice)
            _stand_guard(ear, launcher)
        os.close(ear)

    def watch(self, group: int) -> None:
        """The guard kills this group when the launcher is gone."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """The group has ended; its number may soon be somebody else's."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        try:
            os.write(self._voice, line.encode())
        except OSError:
            pass  # somebody killed the guard: the launcher still ends its own processes


def _stand_guard(ear: int, launcher: str) -> None:
    """The guard's whole life; never returns."""
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):  # whoever reads the launcher's output must not wait for the guard
            os.dup2(nothing, standard)
        groups: set[int] = set()
        with open(ear, encoding="ascii") as lines:
            for line in lines:
                (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
        for group in groups:
            kill_group(group)
        sweep(launcher)
    finally:
        os._exit(0)
