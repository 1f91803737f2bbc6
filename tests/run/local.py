"""`rallypoint run` as a process that a test can watch, signal and ask."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

SECONDS = 40
"""Longer than any wait of a healthy run on a busy machine."""


def hears_signals():
    """As from a shell, even when the tests themselves were started by nohup or in the background."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Run:
    """A `rallypoint run` under way; both its outputs, line by line."""

    def __init__(self, folder, *options, environment=None, prefix=()):
        self.folder, self.lines, self._new = folder, [], queue.Queue()
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "rallypoint", "run", *options],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}, preexec_fn=hears_signals,  # noqa: PLW1509
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._new.put(line.rstrip("\n"))
        self._new.put(None)

    def wait_for(self, pattern, seconds=SECONDS):
        """The match in the next line that has one."""
        until = time.monotonic() + seconds
        while True:
            try:
                line = self._new.get(timeout=max(until - time.monotonic(), 0.01))
            except queue.Empty:
                raise AssertionError(f"no {pattern!r} within {seconds} s:\n{self.text}") from None
            assert line is not None, f"ended without {pattern!r}:\n{self.text}"
            self.lines.append(line)
            match = re.search(pattern, line)
            if match:
                return match

    def end(self, seconds=SECONDS):
        """The exit code, once all is read."""
        code = self.process.wait(seconds)
        while (line := self._new.get(timeout=seconds)) is not None:
            self.lines.append(line)
        return code

    @property
    def text(self):
        return "\n".join(self.lines)

    def launcher(self, node):
        """Process id of the launcher of a node, the newest that its log names."""
        log = self.folder / "output" / "tiny" / "logs" / f"node-{node}.log"
        return int(re.findall(rf"--- node {node}: launcher (\d+)", log.read_text())[-1])


def processes_of(folder):
    """Command lines by process id of what works in this folder, as every process of its jobs does."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            where = (path / "cwd").readlink()
        except OSError:
            continue
        if int(path.name) != os.getpid() and where.is_relative_to(folder):
            found[int(path.name)] = command
    return found


def wait_until(true, what, seconds=SECONDS):
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.05)
