"""How a process of the job ends: error file, exit code, and no interpreter shutdown.

The error file is torchelastic's, so that torchrun and our launcher both show the rank that failed first.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from pathlib import Path
from typing import NoReturn

LOST_PEER = (
    "Connection closed by peer",
    "Connection reset by peer",
    "Broken pipe",
    "Socket closed",
    "recvValue failed",
    "sendBytes failed",
    "remote process exited",
    "Read error",
)
"""What gloo, nccl and the store say when the process at the other end is gone."""


def lost_peer(error: BaseException) -> bool:
    """Whether `error` only says that another rank is gone; that rank's own error is the one to read."""
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in LOST_PEER)


def write_error_file(message: str, callstack: str = "") -> None:
    """Writes `message` where TORCHELASTIC_ERROR_FILE says, in torchelastic's form.

    Source: torch 2.15, torch/distributed/elastic/multiprocessing/errors/error_handler.py.
    """
    path = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if not path:
        return
    extra = {"py_callstack": callstack, "timestamp": str(int(time.time()))}
    text = json.dumps({"message": {"message": message, "extraInfo": extra}})
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        print(f"error file: cannot be written ({error})", file=sys.stderr)


def report_crash(error: BaseException) -> None:
    """Records an error that is not the user's input: traceback on stderr and in the error file."""
    message = f"{type(error).__name__}: {error}"
    if lost_peer(error):
        message = f"lost contact with another rank ({str(error).splitlines()[0][:200]})"
        print(f"rallypoint: {message}", file=sys.stderr)
    else:
        traceback.print_exception(error)
    write_error_file(message, "".join(traceback.format_exception(error)))


def leave(code: int) -> NoReturn:
    """Ends the process now.

    Not through the interpreter's shutdown: gloo's threads abort there in some per cent of all runs.
    Source: pytorch#190489.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    logging.shutdown()
    os._exit(code)
