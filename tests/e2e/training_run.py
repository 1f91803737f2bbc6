"""A training job on the cluster, and the same one on this machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..cluster.progress import wait_until
from .cli import rallypoint
from .run import Run
from .training_result import Result, events_in, result_in


def sets(values: Iterable[str]) -> list[str]:
    return [part for value in values for part in ("--set", value)]


def rendered(job: Path, kind: str, *values: str) -> str:
    """What `rallypoint render` prints for a person."""
    command = [sys.executable, "-m", "rallypoint", "render", "--kind", kind, str(job), *sets(values)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def run_locally(job: Path, folder: Path, *values: str) -> Result:
    """The result of `rallypoint run` in `folder`, with one thread per process as in the pods."""
    command = [sys.executable, "-m", "rallypoint", "run", str(job), *sets([*values, "name=local"])]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    return result_in(folder / "output" / "local")


def restarts(pod: dict[str, Any]) -> int:
    return sum(status["restartCount"] for status in pod["status"].get("containerStatuses", []))


@dataclass
class TrainingRun(Run):
    """An applied training job."""

    def verb(self, *words: str) -> str:
        """What the command line prints, in the job's namespace."""
        result = rallypoint(*words, "--namespace", self.namespace)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def events(self) -> list[dict[str, Any]]:
        return events_in(self.folder)

    def step(self) -> int:
        """The newest logged step; 0 before the first."""
        return max((event["step"] for event in self.events() if event["event"] == "log"), default=0)

    def starts(self) -> list[dict[str, Any]]:
        """One `start` event per round that came to training."""
        return [event for event in self.events() if event["event"] == "start"]

    def wait_for_step(self, step: int, seconds: float = 300) -> None:
        wait_until(f"{self.name}: step {step}", lambda: self.step() >= step, seconds)

    def wait_for_start(self, number: int, seconds: float = 300) -> None:
        wait_until(f"{self.name}: start {number}", lambda: len(self.starts()) >= number, seconds)

    def result(self) -> Result:
        return result_in(self.folder)

    def lives(self) -> dict[int, tuple[str, int]]:
        """Node index to its pod's uid, and how often the pod's container has started again."""
        return {index: (str(pod["metadata"]["uid"]), restarts(pod)) for index, pod in self.pods().items()}

    def anew(self, before: dict[int, tuple[str, int]]) -> list[int]:
        """Nodes whose pod or container is not what it was."""
        now = self.lives()
        return [index for index in sorted(before | now) if before.get(index) != now.get(index)]

    def round_began(self, index: int) -> float:
        """When that node's launcher started its processes last, by the clock of its machine."""
        lines = self.kubectl("logs", "--timestamps", str(self.pods()[index]["metadata"]["name"])).splitlines()
        stamp, _, _ = [line for line in lines if re.search(r" round \d+: rank", line)][-1].partition(" ")
        return datetime.fromisoformat(stamp).timestamp()

    def delete_at_once(self, index: int) -> None:
        """As a lost machine: no signal, no grace."""
        name = str(self.pods()[index]["metadata"]["name"])
        self.kubectl("delete", "pod", name, "--grace-period=0", "--force")
