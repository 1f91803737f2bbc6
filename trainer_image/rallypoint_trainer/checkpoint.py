"""Checkpoints on the output: whole or not there at all.

A checkpoint is written aside, listed in a manifest, and renamed. Whole means: the manifest is there, every
file has the size it lists, and those that can be are parsed. Refuses to trust modification times: clocks
of nodes differ.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST = "rallypoint.json"
STATE = "trainer_state.json"
NAME = re.compile(r"checkpoint-(\d+)")
ASIDE = ".saving-"
"""How the names of what is being written begin; what a kill leaves behind is removed at the next start."""


class Progress(NamedTuple):
    """What the Trainer forgets across a resume, so that losses come out as if there had been none."""

    loss_total: float = 0.0
    """Sum over all steps of the step's mean loss over all ranks."""
    loss_unlogged: float = 0.0
    """Of that, the part since the last log event."""
    last_logged_step: int = 0
    train_seconds: float = 0.0
    evaluation_due: bool = False
    """The evaluation of this step was cut short, or had to wait for a stop."""


class Manifest(NamedTuple):
    """The file that makes a checkpoint whole."""

    step: int
    settings: dict[str, Any]
    progress: Progress
    files: dict[str, int]


def checkpoint_path(output: Path, step: int) -> Path:
    """`<output>/checkpoint-<step>`."""
    return output / f"checkpoint-{step}"


def checkpoints(output: Path) -> list[tuple[int, Path]]:
    """All checkpoints by rising step, whole or not."""
    found = [(NAME.fullmatch(path.name), path) for path in output.iterdir() if path.is_dir()]
    return sorted((int(match[1]), path) for match, path in found if match)


def seal(aside: Path, target: Path, settings: dict[str, Any], progress: Progress, step: int) -> None:
    """Turns `aside`, to which all ranks have written, into the checkpoint `target`."""
    files = {
        str(path.relative_to(aside)): path.stat().st_size
        for path in sorted(aside.rglob("*"))
        if path.is_file()
    }
    for name in files:
        _flush(aside / name)
    document = {"step": step, "settings": settings, "progress": progress._asdict(), "files": files}
    (aside / MANIFEST).write_text(json.dumps(document, indent=2), encoding="utf-8")
    _flush(aside / MANIFEST)
    if target.exists():
        set_aside(target)
    aside.rename(target)
    _flush(target.parent)


def read_manifest(checkpoint: Path) -> Manifest:
    """The manifest of a whole checkpoint."""
    document = json.loads((checkpoint / MANIFEST).read_text(encoding="utf-8"))
    return Manifest(
        document["step"], document["settings"], Progress(**document["progress"]), document["files"]
    )


def fault(checkpoint: Path) -> str | None:
    """The first thing wrong with a checkpoint, in words; None when it is whole."""
    try:
        manifest = read_manifest(checkpoint)
    except FileNotFoundError:
        return f"{MANIFEST} is missing"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{MANIFEST} cannot be read ({error})"
    for name, size in manifest.files.items():
        try:
            actual = (checkpoint / name).stat().st_size
        except OSError:
            return f"{name} is missing"
        if actual != size:
            return f"{name} has {actual} bytes instead of {size}"
        reason = _unreadable(checkpoint / name)
        if reason:
            return f"{name} cannot be read ({reason})"
    return None


def newest_whole(output: Path) -> tuple[Path | None, list[str]]:
    """The newest whole checkpoint, and what was found and moved on the way; to be called on one rank only."""
    broken: list[str] = []
    whole = None
    for _, path in reversed(checkpoints(output)):
        reason = fault(path)
        if reason is None:
            whole = path
            break
        moved = set_aside(path)
        broken.append(f"{path.name}: not whole ({reason}); moved to {moved.name}")
    way = f"going on from {whole.name}" if whole else "starting over"
    return whole, [f"{text}, {way}" for text in broken]


def set_aside(path: Path) -> Path:
    """Moves a checkpoint out of the way, deleting nothing; returns where it went."""
    number = 1
    while (target := path.with_name(f"{path.name}.broken" + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    path.rename(target)
    return target


def sweep(output: Path) -> None:
    """Removes what killed saves have left; to be called before training, on one rank only."""
    for path in output.glob(f"{ASIDE}*"):
        shutil.rmtree(path, ignore_errors=True)


def surplus(steps: list[int], limit: int | None, best: int | None) -> list[int]:
    """The steps whose checkpoints go: the oldest beyond `limit`, never the newest, never the best."""
    if not limit or limit <= 0:
        return []
    keep = {max(steps, default=0), best}
    spare = [step for step in sorted(steps) if step not in keep]
    return spare[: max(0, len(steps) - max(limit, len(keep & set(steps))))]


def _unreadable(path: Path) -> str | None:
    """Why a file of a known kind cannot be parsed; headers only, so that it is quick for any size."""
    try:
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix == ".safetensors":
            with path.open("rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                json.loads(file.read(length))
        elif path.suffix in (".pt", ".pth", ".bin"):
            with zipfile.ZipFile(path) as archive:
                archive.namelist()
    except (OSError, ValueError, struct.error, zipfile.BadZipFile, MemoryError) as error:
        return str(error) or type(error).__name__
    return None


def _flush(path: Path) -> None:
    """Waits until `path` is on the disk, not only in a cache."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
