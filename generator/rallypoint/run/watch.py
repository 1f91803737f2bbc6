"""Ends the launchers when `run` is gone, however it went: `watch.py <seconds> <folder>`.

A pipe joins it to `run`, which names the launchers' process ids, `+17` and `-17`, one a line. When the pipe
closes, the launchers that are left get SIGTERM, so that their processes save; what still lives after so many
seconds is killed, and the run's temporary folder is taken away. Standard library only, and no import of
rallypoint: it starts at once, and runs where the package's own folder is not on the path.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

LOOK_SECONDS = 0.1


def alive(process: int) -> bool:
    """Whether it still runs; one that has ended and that nobody has asked about does not."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except ProcessLookupError:
        return False
    except OSError:
        return True  # no /proc, as on macOS
    return state.rpartition(")")[2].split()[0] != "Z"


def signal_each(processes: set[int], number: int) -> None:
    """Sends the signal to the process group of each, as far as they are there."""
    for process in processes:
        try:
            os.killpg(process, number)
        except (ProcessLookupError, PermissionError):
            pass  # it went by itself


def end(processes: set[int], seconds: float) -> None:
    """Returns when all have ended: asked at first, killed after so many seconds."""
    signal_each(processes, signal.SIGTERM)
    until = time.monotonic() + seconds
    while any(map(alive, processes)) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    signal_each({process for process in processes if alive(process)}, signal.SIGKILL)


def main() -> None:
    """Listens until the pipe closes, then clears up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    seconds, folder = float(sys.argv[1]), sys.argv[2]
    left: set[int] = set()
    for line in sys.stdin:
        (left.add if line[0] == "+" else left.discard)(int(line[1:]))
    end(left, seconds)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
