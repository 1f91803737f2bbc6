"""The output folder: whether it can be written, and the markers that say that a run is over."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
import uuid
from pathlib import Path
from typing import Any, NamedTuple

from ending import DONE
from job import Job
from journal import Journal

DONE_MARKER, FAILED_MARKER = "done.json", "failed.json"
PASSING = {errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EAGAIN, errno.EBUSY, errno.EINTR}
"""Errors of shared storage that another try may not meet."""


class OutputError(Exception):
    """The output cannot be used; `passing` when it may be usable another time."""

    def __init__(self, message: str, passing: bool) -> None:
        super().__init__(message)
        self.passing = passing


class Marker(NamedTuple):
    """What a marker says of this very run."""

    path: Path
    code: int
    message: str


def read_marker(path: Path) -> dict[str, Any] | None:
    """The marker's fields; None when there is none, {} when it is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def finished(output: Path, run_id: str) -> Marker | None:
    """The marker of this run, when it is over already; one of another run, or a damaged one, does not
    count.
    """
    for name in (DONE_MARKER, FAILED_MARKER):
        path = output / name
        found = read_marker(path)
        if not found or found.get("run_id") != run_id:
            continue
        if name == DONE_MARKER:
            return Marker(path, DONE, "done")
        code = found.get("code")
        return Marker(path, code if code in (1, 2) else 1, str(found.get("message", "")))
    return None


def stale_markers_moved(output: Path, run_id: str) -> list[str]:
    """Moves markers of other runs, and damaged ones, out of the way, and names where they are now; nothing
    is deleted.
    """
    moved = []
    for name in (DONE_MARKER, FAILED_MARKER):
        found = read_marker(output / name)
        if found is None or found.get("run_id") == run_id:
            continue
        stem, whose = name.removesuffix(".json"), str(found.get("run_id") or "damaged").replace("/", "_")
        aside = output / f"{stem}-{whose}-{time.strftime('%Y%m%dT%H%M%S')}-{uuid.uuid4().hex[:4]}.json"
        try:
            (output / name).rename(aside)
        except FileNotFoundError:
            continue
        moved.append(aside.name)
    return moved


def clear_the_way(job: Job, journal: Journal) -> None:
    """Node 0's act at the start of a new run: what other runs left as their markers must not speak for this
    one.
    """
    if job.index or not job.output:
        return
    for name in stale_markers_moved(Path(job.output), job.run_id):
        journal.say(f"the marker of another run was moved aside: {job.output}/{name}")


def write_marker(output: Path, name: str, fields: dict[str, Any]) -> None:
    """Writes a marker aside and renames it, so that nobody ever reads half of one.

    Raises: OSError when the output cannot be written any more.
    """
    aside = output / f".{name}.{uuid.uuid4().hex[:8]}"
    try:
        with aside.open("w", encoding="utf-8", errors="replace") as file:
            json.dump(fields, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        aside.replace(output / name)
    except OSError:
        with contextlib.suppress(OSError):  # what a full disk left
            aside.unlink()
        raise


def check_writable(output: Path) -> None:
    """Creates the output folder when it is not there, writes a file in it and takes it away again.

    Raises: OutputError, which names the path, this user, and whose the folder is.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
        probe = output / f".rallypoint-{uuid.uuid4().hex[:8]}"
        with probe.open("w", encoding="ascii") as file:
            file.write("can this be written?\n")
            file.flush()
            os.fsync(file.fileno())
        probe.unlink()
    except OSError as error:
        why = f"output: cannot write to {output} ({error.strerror or error}): {_user()}, {_owner(output)}"
        raise OutputError(
            f"{why}; let the volume be writable for this user (fsGroup, or its owner)", error.errno in PASSING
        ) from error


def _user() -> str:
    groups = ",".join(map(str, sorted(set(os.getgroups()) - {os.getegid()})))
    return f"this is uid {os.geteuid()}, gid {os.getegid()}" + (f", groups {groups}" if groups else "")


def _owner(output: Path) -> str:
    """Whose the nearest existing folder is: uid, gid and mode."""
    for path in (output, *output.parents):
        try:
            found = path.stat()
        except OSError:
            continue
        mode = stat.S_IMODE(found.st_mode)
        return f"{path} belongs to uid {found.st_uid}, gid {found.st_gid}, mode {mode:04o}"
    return "nothing of the path can be seen"
