"""One local node: its launcher's process, its two pipes, and its full log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

import rallypoint
from rallypoint.run.lines import Lines

LAUNCHER = Path(rallypoint.__file__).parent / "launcher"
STDOUT, STDERR = "stdout", "stderr"


class Pipe:
    """One output of the launcher, as far as it was read."""

    def __init__(self, source: IO[bytes], name: str) -> None:
        os.set_blocking(source.fileno(), False)
        self.source, self.name, self.lines, self.open = source, name, Lines(), True

    def read(self) -> tuple[bytes, list[str]]:
        """What has come since, as bytes and as whole lines; closes the pipe at its end."""
        try:
            data = os.read(self.source.fileno(), 65536)
        except BlockingIOError:
            return b"", []
        if not data:
            self.open = False
            self.source.close()
            return b"", self.lines.rest()
        return data, self.lines.feed(data)


class Agent:
    """The launcher of one node, started again as a pod would be."""

    def __init__(self, node: int, contract: Path, environment: dict[str, str], log: Path) -> None:
        """Raises: OSError when the log cannot be written."""
        self.node = node
        self._command = [sys.executable, "-u", str(LAUNCHER), str(contract)]
        self._environment = environment
        self._log: IO[bytes] | None = log.open("ab", buffering=0)
        self.process: subprocess.Popen[bytes] | None = None
        self.pipes: list[Pipe] = []
        self.due: float | None = None
        """When it is to be started again, on the monotonic clock."""
        self.code: int | None = None
        """How it ended for good: an exit code, or minus a signal."""
        self.log_error: OSError | None = None
        """Why the log was given up, when it was."""
        self.quick_ends = 0
        """How often in a row it ended soon after its start."""
        self._started = 0.0

    def start(self) -> int:
        """The process id of a launcher started now, in a session that Ctrl-C does not reach."""
        self.process = subprocess.Popen(
            self._command, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert self.process.stdout and self.process.stderr
        self.pipes = [Pipe(self.process.stdout, STDOUT), Pipe(self.process.stderr, STDERR)]
        self.due, self._started = None, time.monotonic()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        self.log(f"--- node {self.node}: launcher {self.process.pid}, {stamp}\n".encode())
        return self.process.pid

    def ended(self) -> int | None:
        """The code of a launcher that has just ended and whose output is read; None at any other time."""
        if self.process is None or self.process.poll() is None or any(pipe.open for pipe in self.pipes):
            return None
        code, self.process = self.process.returncode, None
        return code

    def lived(self) -> float:
        """Seconds since the launcher was started."""
        return time.monotonic() - self._started

    def signal(self, number: int) -> None:
        """Send a signal to the launcher, as Kubernetes would to PID 1; nothing when it is gone."""
        if self.process is not None and self.process.returncode is None:
            try:
                os.kill(self.process.pid, number)
            except ProcessLookupError:
                pass  # it has just ended by itself

    def abandon_pipes(self) -> None:
        """Stop waiting for output: something that outlived the launcher holds a pipe open."""
        for pipe in self.pipes:
            if pipe.open:
                pipe.open = False
                pipe.source.close()

    def log(self, data: bytes) -> None:
        """Append to the node's log; given up when that fails, as on a full disk."""
        if self._log is not None:
            try:
                self._log.write(data)
            except OSError as error:
                self._log, self.log_error = None, error


def described(code: int) -> str:
    """`killed by SIGKILL`, or `ended with 143`."""
    if code >= 0:
        return f"ended with {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def environment_of(common: dict[str, str], **own: Any) -> dict[str, str]:
    """`common` with this node's own variables over it."""
    return {**common, **{key: str(value) for key, value in own.items()}}
