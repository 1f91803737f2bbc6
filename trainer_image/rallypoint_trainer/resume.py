"""Where to go on: the newest whole checkpoint, found by rank 0 and told to all.

Only one rank looks, because on network storage each may see another newest folder.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from rallypoint_trainer.checkpoint import STATE, Progress, newest_whole, read_manifest, sweep
from rallypoint_trainer.world import World

PATIENCE_SECONDS = 30.0
"""How long another node may take to see a folder that rank 0 sees."""


class Resume(NamedTuple):
    """What is known from the last time; nothing on a first start."""

    path: Path | None = None
    step: int = 0
    settings: Mapping[str, Any] = MappingProxyType({})
    progress: Progress = Progress()
    told: Sequence[str] = ()
    """What was found that is not whole."""

    @property
    def name(self) -> str:
        """The checkpoint's name, for messages."""
        return self.path.name if self.path is not None else ""

    @property
    def bf16(self) -> bool | None:
        """Whether the checkpoint was trained in bf16; None when there is none."""
        return self.settings.get("train.training_args.bf16")


def find_resume(output: Path, world: World) -> Resume:
    """The newest whole checkpoint in `output`, the same on every rank; broken ones are moved aside."""
    found = world.decided("resume", lambda: _look(output))
    if found["path"] is None:
        return Resume(told=found["told"])
    path = Path(found["path"])
    world.together("resumable", lambda: _wait_for(path / STATE))
    return Resume(path, found["step"], found["settings"], Progress(**found["progress"]), found["told"])


def _look(output: Path) -> dict[str, Any]:
    """What rank 0 finds, as plain JSON."""
    sweep(output)
    path, told = newest_whole(output)
    if path is None:
        return {"path": None, "told": told}
    manifest = read_manifest(path)
    return {
        "path": str(path),
        "step": manifest.step,
        "settings": manifest.settings,
        "progress": manifest.progress._asdict(),
        "told": told,
    }


def _wait_for(path: Path) -> None:
    """Returns when this node sees `path`, or after a while: the Trainer then says what is missing."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.1)
