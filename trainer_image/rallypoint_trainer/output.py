"""The job's output folder: made once, proved to be one and the same for all nodes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rallypoint.errors import InputError
from rallypoint_trainer.world import World

PATIENCE_SECONDS = 10.0
"""How long a network file system may take to show another node's new file."""


def open_output(output: Path, world: World) -> None:
    """Makes the folder; on several nodes makes sure that all see what rank 0 writes.

    Raises: InputError when it cannot be written, or is not shared.
    """
    probe = Path(world.decided("output", lambda: _written(output)))
    world.together("shared", lambda: _check_seen(probe, world))
    world.together("seen", lambda: probe.unlink() if world.speaks else None)


def _written(output: Path) -> str:
    """A new file in the output folder, of a name that no cache can know."""
    probe = output / f".shared-{os.getpid()}-{time.time_ns()}"
    try:
        output.mkdir(parents=True, exist_ok=True)
        probe.write_text("seen", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"output: cannot be written ('{output}': {error.strerror}; uid {os.getuid()}, gid "
            f"{os.getgid()}); "
            "give a folder that this user may write to"
        ) from error
    return str(probe)


def _check_seen(probe: Path, world: World, patience_seconds: float = PATIENCE_SECONDS) -> None:
    """Nothing, when this rank sees the file before long."""
    end = time.monotonic() + patience_seconds
    while not probe.exists():
        if time.monotonic() > end:
            raise InputError(
                f"output: not shared by all nodes (node {world.node} does not see what node 0 wrote in "
                f"'{probe.parent}'); mount one ReadWriteMany volume on all of them, or use one node"
            )
        time.sleep(0.1)
