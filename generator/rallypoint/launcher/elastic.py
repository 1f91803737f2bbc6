"""Runs torch's own elastic agent for one node: `elastic.py <contract> <result file> <launcher>`;
torchrun.py starts it.

A process of its own, because the agent replaces the signal handlers, and because as PID 1 it would ignore a
SIGTERM while it waits for others. What became of it stands in the result file, in JSON.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from command import wrapped_command
from job import Job, job_of
from processes import defaults, own_variables

if TYPE_CHECKING:
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig

RENDEZVOUS_ERRORS = {
    "RendezvousTimeoutError": "timeout",
    "RendezvousClosedError": "closed",
    "RendezvousConnectionError": "connection",
    "RendezvousStateError": "connection",
    "RendezvousGracefulExitError": "closed",
}


def local_address(host: str, index: int) -> str:
    """The name under which a node enters the rendezvous: torch ranks nodes by its text order.

    Node 0's is the endpoint's, which becomes MASTER_ADDR; the others are sort keys and need not resolve.
    """
    return host if index == 0 else f"{host}-{index:05d}"


def prepare_environment(job: Job, launcher: str) -> None:
    """What the processes inherit from this one."""
    for key, value in defaults(job).items():
        os.environ.setdefault(key, value)
    os.environ.update(own_variables(job, launcher))
    os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = (
        "1"  # else a round reads the addresses of the one before
    )


def import_quietly(debug: bool) -> None:
    """Imports torch with its C++ stacks for a lost peer switched off, here and not in the processes.

    torch reads the level when it first logs, so it has to stay; program.py puts the processes' own back.
    """
    if not debug:
        os.environ["RALLYPOINT_TORCH_CPP_LOG_LEVEL"] = os.environ.get("TORCH_CPP_LOG_LEVEL", "WARNING")
        os.environ["TORCH_CPP_LOG_LEVEL"] = "FATAL"  # ERROR still prints them
        warnings.simplefilter("ignore")
        logging.disable(
            logging.CRITICAL
        )  # "failed to shutdown the rendezvous" at a normal end; the result file tells all


def launch_config(job: Job) -> LaunchConfig:
    """Torchrun's settings for this job; node 0 hosts the store, whatever its name resolves to."""
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs
    from torch.distributed.launcher.api import LaunchConfig

    step_file = os.environ.get("RALLYPOINT_STEP_FILE")  # in the folder that the launcher removes
    logs = tempfile.mkdtemp(prefix="rallypoint-agent-", dir=Path(step_file).parent if step_file else None)
    return LaunchConfig(
        min_nodes=job.nodes,
        max_nodes=job.nodes,
        nproc_per_node=job.nproc_per_node,
        run_id=job.run_id,
        role="default",
        rdzv_backend="c10d",
        rdzv_endpoint=f"{'127.0.0.1' if job.index == 0 else job.host}:{job.port}",
        rdzv_configs={"is_host": job.index == 0, "join_timeout": int(job.rendezvous_timeout_seconds)},
        max_restarts=job.max_restarts,
        monitor_interval=0.1,
        local_addr=local_address(job.host, job.index),
        logs_specs=DefaultLogsSpecs(log_dir=logs),
        shutdown_timeout=max(1, int(job.grace_seconds)),
    )


def failures_of(error: ChildFailedError) -> list[dict[str, Any]]:
    """Every failed process: its rank, exit code and what it recorded."""
    found = []
    for rank, failure in error.failures.items():
        try:
            recorded = json.loads(Path(failure.error_file).read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError, RecursionError):
            recorded = None
        found.append(
            {"rank": rank, "code": failure.exitcode, "timestamp": failure.timestamp, "recorded": recorded}
        )
    return found


def outcome(job: Job) -> dict[str, Any]:
    """Runs the agent to its end; what became of it."""
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.elastic.rendezvous import RendezvousError
    from torch.distributed.launcher.api import elastic_launch

    python, *arguments = wrapped_command(job)
    try:
        elastic_launch(launch_config(job), python)(*arguments)
    except ChildFailedError as error:
        return {"outcome": "failed", "failures": failures_of(error)}
    except SignalException as error:
        return {"outcome": "signal", "message": str(error)}
    except RendezvousError as error:
        return {"outcome": RENDEZVOUS_ERRORS.get(type(error).__name__, "connection"), "message": str(error)}
    except (RuntimeError, OSError, ValueError) as error:  # the store's own errors have no common type
        return {"outcome": "connection", "message": f"{type(error).__name__}: {error}"}
    return {"outcome": "done"}


def main() -> None:
    """Writes the result file; never returns."""
    contract, result, launcher = sys.argv[1:]
    job = job_of(contract, os.environ)
    prepare_environment(job, launcher)
    import_quietly(job.debug)
    found = outcome(job)
    aside = Path(f"{result}.tmp")
    aside.write_text(json.dumps(found), encoding="utf-8")
    aside.replace(result)
    os._exit(0)  # threads of the rendezvous would hold up the end


if __name__ == "__main__":
    main()
