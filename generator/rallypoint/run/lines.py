"""Whole lines out of the bytes of a pipe."""

from __future__ import annotations


class Lines:
    """Takes bytes as they come and gives back the lines that are complete.

    Of a line rewritten in place with carriage returns, as a progress bar does, the last state counts.
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > 65536 or b"\r" in self._rest:  # a bar that never ends must not pile up
            self._rest = self._rest[self._rest.rfind(b"\r", 0, -1) + 1 :][-65536:]
        return [_text(line) for line in whole]

    def rest(self) -> list[str]:
        """What came without an end of line, when the pipe has closed."""
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest.strip() else []


def _text(line: bytes) -> str:
    """The line as it would stand on a terminal."""
    return line.rstrip(b"\r").rpartition(b"\r")[2].decode(errors="replace")
