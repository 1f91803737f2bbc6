"""What the user reads: messages and notices on stderr, the result alone on stdout."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rallypoint.errors import RallypointError

READER_GONE = 141
"""128 + SIGPIPE: what a shell shows for a program whose reader went away."""
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def spelled(text: str) -> str:
    """The text with control characters as in repr, all but the ends of lines: no value drives a terminal."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def say(text: str) -> None:
    """Print one message; a closed stderr is no reason to fail."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(spelled(text), file=sys.stderr, flush=True)


def notice(texts: Iterable[str]) -> None:
    """Print each text as a notice: what was mapped, ignored or needs a right."""
    for text in texts:
        say(f"notice: {text}")


def put(text: str) -> None:
    """Write the result to stdout; quiet when its reader went away.

    Raises: RallypointError when it cannot be written, as on a full disk.
    """
    if sys.stdout is None:
        raise RallypointError("standard output: is closed; the result has nowhere to go")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        raise SystemExit(READER_GONE) from None
    except OSError as error:
        _discard_output()
        raise RallypointError(f"standard output: cannot be written ({error.strerror})") from error


def put_json(document: Any, write: Callable[[str], None] = put) -> None:
    """Write `document` to stdout as indented JSON."""
    write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def unhindered() -> Iterator[Callable[[str], None]]:
    """A `put` for work that must not stop half way: what it raises first comes when the block is done.

    An error of the work itself goes before.
    """
    failed: list[Exception | SystemExit] = []

    def write(text: str) -> None:
        if failed:
            return
        try:
            put(text)
        except (RallypointError, ValueError, SystemExit) as error:
            failed.append(error)

    yield write
    if failed:
        raise failed[0]


def _discard_output() -> None:
    """Point stdout at nothing: the interpreter's flush at exit must not complain again.

    Source: Python 3 documentation, "Note on SIGPIPE".
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
