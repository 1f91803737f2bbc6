"""Remembers that this launcher was told to stop; imported before everything else.

PID 1 ignores a signal for which it has no handler, and the launcher's other imports take a while: the
handlers are therefore the first thing that happens, and this file imports nothing that is not loaded
already.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STOPPED = 143  # 128 + SIGTERM: "start me again"; ending.py has the other codes

_received: list[int] = []
_watched = False


def received() -> int:
    """The first stop signal that came, 0 when none did."""
    return _received[0] if _received else 0


def watch() -> None:
    """Hands the signals over to the main loop, which looks at `received` many times a second.

    Until then nothing runs that would have to be told, so a signal ends the launcher where it stands.
    """
    global _watched  # noqa: PLW0603 - a signal handler has no other place for what it must know
    _watched = True


def _remember(number: int, _frame: FrameType | None) -> None:
    if not _watched:
        os._exit(STOPPED)
    _received.append(number)


def install() -> None:
    """Installs the handlers; the first act of the launcher."""
    for number in SIGNALS:
        signal.signal(number, _remember)
