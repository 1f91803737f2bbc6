"""Several ranks of a job on this machine, each a process of its own.

They are forked from a server that has imported torch and transformers: the same code runs as with
`python -m rallypoint_trainer`, seconds sooner. test_process.py starts them the plain way.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["torch", "datasets", "rallypoint_trainer.main", "rallypoint_trainer.__main__"])


def be_rank(environment: dict[str, str], stdout: str, stderr: str, contract: str) -> None:
    """Becomes one rank; never returns."""
    multiprocessing.set_start_method("fork", force=True)  # what a plain process has, for its loader workers
    os.environ.update(environment)
    for number, path in ((1, stdout), (2, stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.chdir(Path(contract).parent)
    sys.argv = ["rallypoint_trainer", contract]
    from rallypoint_trainer.__main__ import main

    main()


@dataclass
class Ended:
    """How a run ended."""

    codes: list[int]
    output: Path
    stdout: str
    stderr: str
    errors: dict[int, str]
    """The message in each rank's error file."""

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        """What events.jsonl says."""
        lines = (self.output / "events.jsonl").read_text().splitlines()
        return [event for event in map(json.loads, lines) if kind in (None, event["event"])]

    def losses(self) -> dict[int, float]:
        """The logged loss by step."""
        return {event["step"]: event["loss"] for event in self.events("log")}

    @property
    def notices(self) -> str:
        """All notices."""
        return "\n".join(event["text"] for event in self.events("notice"))

    @property
    def metrics(self) -> dict[str, Any]:
        """metrics.json."""
        return json.loads((self.output / "metrics.json").read_text())


class Ranks:
    """The processes of one run, with torchrun's environment."""

    def __init__(self, folder: Path, document: dict[str, Any], environment: dict[str, str]) -> None:
        self.folder = folder
        self.output = Path(document["output"])
        self.size = document["nodes"] * document["nproc_per_node"]
        contract = folder / "contract.json"
        contract.write_text(json.dumps(document))
        shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(self.size)}
        self.processes = []
        for rank in range(self.size):
            node, local = divmod(rank, document["nproc_per_node"])
            own = {
                "RANK": str(rank),
                "LOCAL_RANK": str(local),
                "GROUP_RANK": str(node),
                "LOCAL_WORLD_SIZE": str(document["nproc_per_node"]),
                "RALLYPOINT_STEP_FILE": str(folder / f"step-{rank}"),
                "TORCHELASTIC_ERROR_FILE": str(folder / f"error-{rank}.json"),
            }
            texts = [str(folder / f"{kind}-{rank}") for kind in ("stdout", "stderr")]
            process = FORKED.Process(
                target=be_rank, args=({**shared, **own, **environment}, *texts, str(contract))
            )
            process.start()
            self.processes.append(process)

    def wait(self, timeout: float = 120) -> Ended:
        """How all of them ended; those that do not end in time are killed, with code -9."""
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0.1, end - time.monotonic()))
        self.kill()
        text = {
            kind: "".join((self.folder / f"{kind}-{rank}").read_text() for rank in range(self.size))
            for kind in ("stdout", "stderr")
        }
        errors = {}
        for rank in range(self.size):
            path = self.folder / f"error-{rank}.json"
            if path.exists():
                errors[rank] = json.loads(path.read_text())["message"]["message"]
        codes = [process.exitcode for process in self.processes]
        return Ended(codes, self.output, text["stdout"], text["stderr"], errors)

    def kill(self) -> None:
        """Ends what still runs."""
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()

    def signal(self, rank: int, number: int = signal.SIGTERM) -> None:
        """Sends a signal to one rank."""
        os.kill(self.processes[rank].pid, number)

    def until(self, condition: Callable[[], bool], timeout: float = 90) -> None:
        """Returns when `condition` holds; fails when a process ends or time runs out before."""
        end = time.monotonic() + timeout
        while not condition():
            assert all(process.is_alive() for process in self.processes), self.wait().stderr
            assert time.monotonic() < end, "waited too long"
            time.sleep(0.005)

    def children(self, rank: int) -> list[int]:
        """The processes that a rank has started: its loader workers."""
        pid = self.processes[rank].pid
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def step(self) -> int:
        """The step that rank 0 has written last; 0 before the first."""
        try:
            return int((self.folder / "step-0").read_text() or 0)
        except (OSError, ValueError):
            return 0


class Job:
    """A small job that a test changes in one place."""

    def __init__(self, folder: Path, document: dict[str, Any]) -> None:
        self.folder = folder
        self.document = document
        self.environment: dict[str, str] = {}
        self.running: list[Ranks] = []

    @property
    def train(self) -> dict[str, Any]:
        """The `train` part."""
        return self.document["train"]

    @property
    def arguments(self) -> dict[str, Any]:
        """`training_args`."""
        return self.train["training_args"]

    def start(self) -> Ranks:
        """The job's processes, running."""
        folder = self.folder / f"run-{len(self.running)}"
        folder.mkdir()
        ranks = Ranks(folder, self.document, self.environment)
        self.running.append(ranks)
        return ranks

    def run(self, timeout: float = 120) -> Ended:
        """The job, run to its end."""
        return self.start().wait(timeout)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
