"""Programs are started once, known by pid and start time, and ended by that alone."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import processes
from .processes import Program, running_pid, start, stop
from .progress import ClusterError, wait_until


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PROCESSES", tmp_path / "processes")
    monkeypatch.setattr(processes, "LOGS", tmp_path / "logs")


@pytest.fixture
def sleeper() -> Iterator[Program]:
    yield Program("sleeper", ["sleep", "600"])
    stop("sleeper", grace_seconds=0)


def command_line(name: str) -> list[str]:
    """Empty for an instant after exec, until the kernel has laid out the arguments."""
    file = Path(f"/proc/{running_pid(name)}/cmdline")
    wait_until("command line", lambda: bool(file.read_text()), 5)
    return file.read_text().rstrip("\0").split("\0")


def test_a_started_program_is_found_by_its_name(sleeper: Program) -> None:
    start(sleeper)
    assert command_line("sleeper") == ["sleep", "600"]


def test_a_second_start_leaves_the_first_one_alone(sleeper: Program) -> None:
    start(sleeper)
    first = running_pid("sleeper")
    start(sleeper)
    assert running_pid("sleeper") == first


def test_a_program_whose_starter_is_killed_is_known(
    sleeper: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    popen = processes.subprocess.Popen

    def killed_after(*arguments: Any, **options: Any) -> None:
        popen(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(processes.subprocess, "Popen", killed_after)
        start(sleeper)
    assert command_line("sleeper") == ["sleep", "600"]


def test_a_changed_command_replaces_the_program(sleeper: Program) -> None:
    start(sleeper)
    start(Program("sleeper", ["sleep", "601"]))
    assert command_line("sleeper") == ["sleep", "601"]


def test_stop_ends_the_program(sleeper: Program) -> None:
    start(sleeper)
    pid = running_pid("sleeper")
    stop("sleeper")
    assert processes.start_time(pid or 0) is None


def test_a_program_deaf_to_sigterm_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "silence")
    script = f"cd {tmp_path}; trap '' TERM; : > deaf-now; read line < silence"
    start(Program("deaf", ["sh", "-c", script]))
    wait_until("trap", (tmp_path / "deaf-now").exists, 5)
    stop("deaf", grace_seconds=0.2)
    assert running_pid("deaf") is None


def test_a_pid_that_somebody_else_has_now_is_left_alone(sleeper: Program) -> None:
    start(sleeper)
    record = json.loads(sleeper.pid_file.read_text())
    sleeper.pid_file.write_text(json.dumps(record | {"started": "1"}))
    stranger = running_pid("sleeper")
    sleeper.pid_file.write_text(json.dumps(record))
    assert stranger is None


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(ClusterError, match=f"late: 127.0.0.1:{port} is not free"):
            start(Program("late", ["true"], [("127.0.0.1", port)]))
