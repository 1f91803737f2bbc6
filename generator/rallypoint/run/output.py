"""The output folder of a local run: whose it is now, what an earlier run left, and where an old one goes."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import IO, Any

from rallypoint.errors import InputError

ROOT = "output"
DONE, FAILED = "done.json", "failed.json"


class Output:
    """`./output/<name>`, held by this run alone until `lock` is closed."""

    def __init__(self, name: str) -> None:
        """Raises: InputError when it cannot be written, or another run has it."""
        self.path = Path.cwd() / ROOT / name
        self.shown = f"{ROOT}/{name}"
        try:
            self.path.parent.mkdir(exist_ok=True)
            self.lock = (self.path.parent / f".{name}.lock").open("a+", encoding="utf-8")
            _take(self.lock, self.shown)
        except OSError as error:
            raise self._unwritable(error) from error

    def prepare(self) -> None:
        """Make the folders. Raises: InputError when they cannot be written."""
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            if not os.access(self.path, os.W_OK | os.X_OK):
                raise PermissionError(13, "Permission denied")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> InputError:
        where = error.filename or self.shown
        return InputError(
            f"{where}: cannot be written ({error.strerror}); run in a folder that you may write to"
        )

    @property
    def logs(self) -> Path:
        """Folder of each node's full log."""
        return self.path / "logs"

    def marker(self, name: str) -> dict[str, Any] | None:
        """The fields of done.json or failed.json; None when there is none that can be read."""
        return read_json(self.path / name)

    def metrics(self) -> dict[str, Any]:
        """The final metrics; empty when there are none."""
        return read_json(self.path / "metrics.json") or {}

    def move_aside(self) -> str | None:
        """Where an earlier output is now, the first free `<name>.1`, `.2`, ...; None when there was none."""
        if not self.path.exists():
            return None
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.{number}")).exists():
            number += 1
        try:
            self.path.rename(aside)
        except OSError as error:
            raise self._unwritable(error) from error
        return f"{ROOT}/{aside.name}"

    def forgive(self) -> dict[str, Any] | None:
        """The marker of a failed run, now in logs/failed-<n>.json; None when the last run did not fail."""
        path = self.path / FAILED
        found = read_json(path)
        if not path.exists():
            return None
        number = 1
        while (aside := self.logs / f"failed-{number}.json").exists():
            number += 1
        try:
            path.rename(aside)
        except OSError as error:
            raise self._unwritable(error) from error
        return found or {}

    def has_checkpoint(self) -> bool:
        """Whether an earlier run left something to go on from."""
        return any(self.path.glob("checkpoint-*"))


def _take(lock: IO[str], shown: str) -> None:
    """Lock the file, and write this process's id into it.

    Raises: InputError naming the process that has it.
    """
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.seek(0)
        holder = lock.read().strip()
        raise InputError(
            f"{shown}: is being written by another run (process {holder}); wait for it, end it, "
            "or give this job another name"
        ) from error
    lock.seek(0)
    lock.truncate()
    lock.write(f"{os.getpid()}\n")
    lock.flush()


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None when it is missing, unreadable or something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def run_id(document: dict[str, Any]) -> str:
    """`<name>-<8 hex digits>` of a contract, as the launcher derives it and writes it into its markers."""
    keys = ("name", "nodes", "nproc_per_node", "train", "script", "files")
    what = {key: document[key] for key in keys if document.get(key) is not None}
    text = json.dumps(what, sort_keys=True, separators=(",", ":"))
    return f"{document['name']}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
