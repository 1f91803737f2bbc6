"""The training processes of one round on this node: started with torchrun's environment, watched, ended."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from command import command
from documents import Plan
from guard import MARK, Guard, kill_group, sweep
from job import Job
from journal import STDERR, STDOUT, Journal
from memory import oom_kills
from pump import Pump

TICK_SECONDS = 0.05
KILL_SECONDS = 5.0  # for a killed process to be gone; one in an uninterruptible wait is left behind
DEFAULTS = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
    "PYTHONFAULTHANDLER": "1",  # a segmentation fault shows where it happened
}
"""What a process finds when nobody has set anything else."""

DEBUG = {
    "NCCL_DEBUG": "INFO",
    "TORCH_DISTRIBUTED_DEBUG": "DETAIL",
    "TORCH_CPP_LOG_LEVEL": "INFO",
    "TORCH_SHOW_CPP_STACKTRACES": "1",
    "TORCH_NCCL_TRACE_BUFFER_SIZE": "2000",  # the flight recorder
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
}
"""The same for a job with `debug: true`."""


def torchrun_variables(job: Job, plan: Plan, local_rank: int) -> dict[str, str]:
    """What torchrun would set for this process, so that what was written for torchrun runs unchanged.

    Source: torch 2.15, torch/distributed/elastic/agent/server/local_elastic_agent.py.
    """
    rank = job.rank(local_rank)
    values: dict[str, object] = {
        "RANK": rank,
        "LOCAL_RANK": local_rank,
        "WORLD_SIZE": job.world_size,
        "LOCAL_WORLD_SIZE": job.nproc_per_node,
        "GROUP_RANK": job.index,
        "GROUP_WORLD_SIZE": job.nodes,
        "ROLE_NAME": "default",
        "ROLE_RANK": rank,
        "ROLE_WORLD_SIZE": job.world_size,
        "MASTER_ADDR": job.host,
        "MASTER_PORT": plan["port"],
        "TORCHELASTIC_RUN_ID": job.run_id,
        "TORCHELASTIC_RESTART_COUNT": plan["round"] - 1,
        "TORCHELASTIC_MAX_RESTARTS": job.max_restarts,
        "TORCHELASTIC_USE_AGENT_STORE": False,
    }
    return {key: str(value) for key, value in values.items()}


def own_variables(job: Job, launcher: str) -> dict[str, str]:
    """What every process of the job finds besides."""
    found = {"RALLYPOINT_NODE_INDEX": str(job.index), MARK: launcher}
    if job.output:
        found["RALLYPOINT_OUTPUT_DIR"] = job.output
    return found


def defaults(job: Job) -> dict[str, str]:
    """What a process finds when the spec has not said otherwise."""
    return {**DEFAULTS, **(DEBUG if job.debug else {})}


class Process:
    """One rank: its process, the end of its stderr, its step and error files."""

    def __init__(
        self, argv: list[str], environment: dict[str, str], job: Job, local: int, journal: Journal
    ) -> None:
        self.rank = job.rank(local)
        # a local run takes its folder away at the end, whatever became of this launcher
        below = os.environ.get("RALLYPOINT_TEMPORARY")
        self.folder = Path(tempfile.mkdtemp(prefix=f"rallypoint-{self.rank}-", dir=below))
        self.step_file, self.error_file = self.folder / "step", self.folder / "error.json"
        files = {"RALLYPOINT_STEP_FILE": str(self.step_file), "TORCHELASTIC_ERROR_FILE": str(self.error_file)}
        self.popen = subprocess.Popen(
            argv,
            env={**environment, **files},
            cwd=job.workdir,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.popen.stdout and self.popen.stderr
        self.out = Pump(self.popen.stdout, journal.streams[STDOUT])
        self.err = Pump(self.popen.stderr, journal.streams[STDERR])
        self.stopped_by_us = self.had_failed = False
        self.ended_after: float | None = None
        self._last_step: int | None = None

    def stop_is_ours(self) -> None:
        """From here on the end says nothing of the program, unless it had recorded a failure by now."""
        if not self.stopped_by_us:
            self.stopped_by_us, self.had_failed = True, self.error_file.exists()

    def step(self) -> int | None:
        """The step that the program says it is at; the one before while it is writing."""
        try:
            self._last_step = int(self.step_file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            pass  # it has not told any yet, or is just about to
        return self._last_step


class Processes:
    """All processes of this node in one round."""

    def __init__(self, job: Job, plan: Plan, launcher: str, guard: Guard, journal: Journal) -> None:
        """Raises: OSError when one cannot be started; the others are ended then."""
        self.started, self.ooms = time.monotonic(), oom_kills()
        self.round = plan["round"]
        self._guard, self._launcher = guard, launcher
        self.all: list[Process] = []
        for local in range(job.nproc_per_node):
            environment = {
                **defaults(job),
                **os.environ,
                **torchrun_variables(job, plan, local),
                **own_variables(job, launcher),
            }
            try:
                process = Process(command(job), environment, job, local, journal)
            except OSError:
                self.kill()
                raise
            self.all.append(process)
            guard.watch(process.popen.pid)

    def codes(self) -> list[int | None]:
        """Exit codes so far, minus the signal for a killed process; None while it runs."""
        for process in self.all:
            if process.popen.poll() is not None and process.ended_after is None:
                process.ended_after = time.monotonic() - self.started
        return [process.popen.returncode for process in self.all]

    def pids(self) -> list[int]:
        """Process ids, polled just now."""
        self.codes()
        return [process.popen.pid for process in self.all]

    def running(self) -> bool:
        """Whether any process still runs."""
        return None in self.codes()

    def step(self) -> int | None:
        """The furthest step that a process of this node has told."""
        steps = [step for process in self.all if (step := process.step()) is not None]
        return max(steps, default=None)

    def terminate(self) -> None:
        """Passes SIGTERM on to each process.

        To the process alone: a data loader child that gets it too would die and take the save with it.
        """
        self.codes()
        for process in self.all:
            if process.popen.returncode is None:
                process.stop_is_ours()
                process.popen.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kills every process with its group, and what has left the group."""
        self.codes()
        for process in self.all:
            if process.popen.returncode is None:
                process.stop_is_ours()
            kill_group(process.popen.pid)
        until = time.monotonic() + KILL_SECONDS
        while self.running() and time.monotonic() < until:
            time.sleep(TICK_SECONDS)
        sweep(self._launcher)
        for process in self.all:
            self._guard.forget(process.popen.pid)

    def close(self) -> None:
        """Reads the last words and takes the files away."""
        for process in self.all:
            process.out.drain(1.0)
            process.err.drain(1.0)
            for path in (process.step_file, process.error_file):
                path.unlink(missing_ok=True)
            try:
                process.folder.rmdir()
            except OSError:
                pass  # the program left something of its own there
