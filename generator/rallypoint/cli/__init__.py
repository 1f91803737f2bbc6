"""The command line: one file per verb, and the one place where an error becomes a message.

stdout carries only the result; messages and notices go to stderr. Exit codes: 0 done, 1 the job failed,
2 the input was wrong; as in a shell, 130 and 143 for Ctrl-C and SIGTERM, 141 for a reader that went away.
Refuses to import anything heavy before a verb runs: `--help` is instant.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import NoReturn

from rallypoint.errors import RallypointError

DEBUG = "--debug"
INTERRUPTED = 128 + signal.SIGINT


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; every RallypointError ends here as a message."""
    with _silent_interrupt():
        from rallypoint.cli.app import app

    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=given, prog_name="rallypoint")
    except RallypointError as error:
        sys.exit(_failed(error, DEBUG in given))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(0)


@contextmanager
def _silent_interrupt() -> Iterator[None]:
    """Ctrl-C ends the process at once, for while modules load: nothing is begun that needs an orderly end.

    Whoever has a handler of their own, or ignores Ctrl-C, keeps it.
    """
    if (
        signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        or current_thread() is not main_thread()
    ):
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _failed(error: RallypointError, debug: bool) -> int:
    """The exit code of `error`, after its message; with a traceback only where that was asked for."""
    from rallypoint.cli.messages import say

    if debug:
        import traceback

        say("".join(traceback.format_exception(error)).rstrip())
    else:
        say(str(error))
    return error.exit_code
