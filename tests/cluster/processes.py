"""Background programs: each in a session of its own, known by a pid file, ended by that pid alone."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .places import LOGS, PROCESSES
from .progress import ClusterError


@dataclass(frozen=True)
class Program:
    """One background program: its command line and the TCP ports that it will bind."""

    name: str
    command: list[str]
    ports: list[tuple[str, int]] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def pid_file(self) -> Path:
        return PROCESSES / self.name

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"


def start(program: Program) -> None:
    """Starts the program unless it runs with this very command; output goes to `<state>/logs/<name>.log`."""
    if running_pid(program.name) is not None:
        if json.loads(program.pid_file.read_text())["command"] == program.command:
            return
        stop(program.name)  # of an earlier build or configuration
    for address, port in program.ports:
        refuse_taken_port(program.name, address, port)
    PROCESSES.mkdir(parents=True, exist_ok=True)
    LOGS.mkdir(parents=True, exist_ok=True)
    with program.log.open("ab") as log:
        subprocess.Popen(
            program.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={**os.environ, **program.environment},
            start_new_session=True,
            preexec_fn=lambda: note(program),  # noqa: PLW1509 - no thread of ours holds what it needs
        )


def note(program: Program) -> None:
    """Writes the pid file of this process, which is about to become the program.

    So it is there before the program is: a killed `up` leaves none that nobody knows of.
    """
    record = {"pid": os.getpid(), "started": start_time(os.getpid()), "command": program.command}
    partial = PROCESSES.with_name(f"{program.name}.partial")
    partial.write_text(json.dumps(record))
    partial.rename(program.pid_file)


def refuse_taken_port(name: str, address: str, port: int) -> None:
    """Raises ClusterError when somebody else listens there: better said now than found in a log."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            taken = f"{name}: {address}:{port} is not free ({error.strerror}); stop what uses it"
            raise ClusterError(taken) from error


def running_pid(name: str) -> int | None:
    """The pid of the program that we started under this name; None when it is gone.

    The start time guards against a pid that the kernel has given to somebody else since.
    """
    try:
        record = json.loads((PROCESSES / name).read_text())
    except (FileNotFoundError, json.JSONDecodeError):  # the latter: the machine was cut off as it wrote
        return None
    return record["pid"] if record["started"] and start_time(record["pid"]) == record["started"] else None


def start_time(pid: int) -> str | None:
    """Clock ticks from boot to the process's start; None when it is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else fields[19]  # proc(5): fields 3 (state) and 22 (starttime)


def stop(name: str, grace_seconds: float = 10) -> None:
    """SIGTERM, then SIGKILL after the grace, to that one pid; fine when it is gone already."""
    pid = running_pid(name)
    if pid is not None:
        end_process(pid, grace_seconds)
    (PROCESSES / name).unlink(missing_ok=True)


def end_process(pid: int, grace_seconds: float) -> None:
    """Returns when the process has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        for number, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 10.0)):
            signal.pidfd_send_signal(handle, number)
            if ended_within(handle, seconds):
                return
    except ProcessLookupError:
        return
    finally:
        os.close(handle)
    raise ClusterError(f"process {pid} survived SIGKILL")


def ended_within(handle: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def started_names() -> list[str]:
    """The names that have a pid file, the latest started first."""
    if not PROCESSES.exists():
        return []
    return [file.name for file in sorted(PROCESSES.iterdir(), key=lambda file: -file.stat().st_mtime_ns)]


def last_words(name: str, lines: int = 15) -> str:
    """The end of the program's log, for an error message."""
    log = LOGS / f"{name}.log"
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else "(no log)"
