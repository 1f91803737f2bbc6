"""Passes the output of a process on, line by line as it comes, and keeps the end of it for the account of
failures.
"""

from __future__ import annotations

import itertools
import os
import select
import threading
from typing import IO

from journal import Stream

KEPT_BYTES = 16384
PATIENCE_SECONDS = 0.5  # an unfinished line (a progress bar) is passed on after so long
_origins = itertools.count(1)  # 0 is the launcher's own


class Pump:
    """One output of one process on its way to one of the launcher's."""

    def __init__(self, pipe: IO[bytes], stream: Stream) -> None:
        self.tail = b""
        self._pipe, self._stream, self._origin = pipe, stream, next(_origins)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def text(self) -> str:
        """The end of what the process said."""
        return self.tail.decode(errors="replace")

    def drain(self, seconds: float) -> None:
        """Waits until everything is read, or for so long: a grandchild may hold the pipe open."""
        self._thread.join(seconds)

    def _run(self) -> None:
        rest, descriptor = b"", self._pipe.fileno()
        while True:
            if rest and not select.select([descriptor], [], [], PATIENCE_SECONDS)[0]:
                self._stream.put(self._origin, rest)
                rest = b""
            piece = os.read(descriptor, 65536)
            self.tail = (self.tail + piece)[-KEPT_BYTES:]
            rest += piece
            whole = len(rest) if not piece else max(rest.rfind(b"\n"), rest.rfind(b"\r")) + 1
            if whole or len(rest) > KEPT_BYTES:
                whole = whole or len(rest)
                self._stream.put(self._origin, rest[:whole])
                rest = rest[whole:]
            if not piece:
                return
