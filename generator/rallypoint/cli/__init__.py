"""The command line: one file per verb, and the one place where an error becomes a message.

stdout carries only the result; messages and notices go to stderr. Exit codes: 0 done, 1 the job failed,
2 the input was wrong; as in a shell, 130 and 143 for Ctrl-C and SIGTERM, 141 for a reader that went away.
Refuses to import anything heavy before a verb runs: `--help` is instant.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from rallypoint.errors import RallypointError

DEBUG = "--debug"
INTERRUPTED = 128 + signal.SIGINT


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; every RallypointError ends here as a message."""
    from rallypoint.cli.app import app

    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=given, prog_name="rallypoint")
    except RallypointError as error:
        sys.exit(_failed(error, DEBUG in given))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(0)


def _failed(error: RallypointError, debug: bool) -> int:
    """The exit code of `error`, after its message; with a traceback only where that was asked for."""
    from rallypoint.cli.messages import say

    if debug:
        import traceback

        say("".join(traceback.format_exception(error)).rstrip())
    else:
        say(str(error))
    return error.exit_code
