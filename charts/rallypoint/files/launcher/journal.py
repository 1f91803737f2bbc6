"""The launcher's log, and the output of the processes, in whole lines on the same two streams.

Everything is written by one thread for each stream: a blocked reader may hold up the output, never the
launcher.
"""

from __future__ import annotations

import os
import queue
import threading
import time

STDOUT, STDERR = 1, 2
QUEUED = 1000  # pieces that may wait for a slow reader before the processes are held up, as a full pipe would


class Stream:
    """One output of the launcher; pieces of different origin never share a line."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: queue.Queue[tuple[int, bytes]] = queue.Queue(QUEUED)
        self._open_line_of: int | None = None
        threading.Thread(target=self._write_all, daemon=True).start()

    def put(self, origin: int, piece: bytes, timeout_seconds: float | None = None) -> None:
        """Queues a piece of text; `origin` tells whose line it goes on with."""
        try:
            self._queue.put((origin, piece), timeout=timeout_seconds)
        except queue.Full:
            pass  # nobody reads: better a line lost than a launcher that hangs

    def flush(self, seconds: float) -> None:
        """Returns when all is written, at the latest after so many seconds."""
        until = time.monotonic() + seconds
        while self._queue.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.01)

    def _write_all(self) -> None:
        while True:
            origin, piece = self._queue.get()
            try:
                self._write(origin, piece)
            except OSError:
                pass  # the reader is gone; the training goes on without one
            finally:
                self._queue.task_done()

    def _write(self, origin: int, piece: bytes) -> None:
        if self._open_line_of not in (None, origin):
            piece = b"\n" + piece
        self._open_line_of = None if piece.endswith((b"\n", b"\r")) else origin
        while piece:
            piece = piece[os.write(self._descriptor, piece) :]


class Journal:
    """The launcher's own voice: `[rallypoint 12:30:05 node 2] text` on stderr, one line each."""

    def __init__(self, node: int) -> None:
        self.node = node
        self.streams = {STDOUT: Stream(STDOUT), STDERR: Stream(STDERR)}

    def say(self, text: str) -> None:
        """Logs one line; a text of several becomes one."""
        line = " ".join(text.splitlines())
        stamp = time.strftime("%H:%M:%S")
        said = f"[rallypoint {stamp} node {self.node}] {line}\n".encode(errors="replace")
        self.streams[STDERR].put(0, said, timeout_seconds=1)

    def flush(self) -> None:
        """Waits until what was said is written, 2 s at most."""
        for stream in self.streams.values():
            stream.flush(2)
