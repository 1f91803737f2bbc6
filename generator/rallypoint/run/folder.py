"""The run's temporary folder: the contract, an inline script, the launchers' last words."""

from __future__ import annotations

import random
import socket
import tempfile
from pathlib import Path
from typing import Any

from rallypoint.contract import Place, contract, contract_text
from rallypoint.errors import RallypointError
from rallypoint.loading import Loaded
from rallypoint.spec.script import INLINE
from rallypoint.told import told

PORTS = range(29000, 32768)
"""Below those that Linux and macOS give to outgoing connections: none takes it while node 0 restarts."""


class RunFolder:
    """What the launchers of one run read and leave; removed at the end of the run."""

    def __init__(self, loaded: Loaded, output: Path | None) -> None:
        """Raises: RallypointError when the temporary folder cannot be written."""
        document = contract(
            loaded.job,
            Place(
                f"127.0.0.1:{free_port()}",
                str(output) if output else None,
                str(Path(loaded.folder).resolve()),
            ),
            loaded.scripts,
        )
        try:
            self.path = Path(tempfile.mkdtemp(prefix=f"rallypoint-{loaded.job.name}-"))
            self.contract = self.path / "contract.json"
            self.contract.write_text(contract_text(document), encoding="utf-8")
            if INLINE in loaded.scripts and loaded.job.script and loaded.job.script.inline is not None:
                (self.path / "script").mkdir()
                script = self.path / "script" / INLINE
                script.write_bytes(loaded.scripts[INLINE].encode())
        except OSError as error:
            where = error.filename or tempfile.gettempdir()
            raise RallypointError(f"{where}: cannot be written ({error.strerror}); set TMPDIR") from error

    def termination_log(self, node: int) -> Path:
        """Where the launcher of `node` leaves its termination message."""
        return self.path / f"node-{node}.json"

    def last_words(self, node: int) -> dict[str, Any]:
        """The termination message of `node`; empty when it left none."""
        try:
            return told(self.termination_log(node).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    for port in random.sample(PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RallypointError(f"run: no free port between {PORTS.start} and {PORTS.stop - 1} on 127.0.0.1")
