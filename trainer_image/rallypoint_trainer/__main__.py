"""`python -m rallypoint_trainer <contract.json>`: one process of the job, started by the "
"launcher or torchrun.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

from rallypoint_trainer.failure import leave, report_crash
from rallypoint_trainer.quiet import quiet_environment
from rallypoint_trainer.stop import Stop

PR_SET_PDEATHSIG = 1
"""Source: linux/prctl.h."""


def die_with_launcher() -> None:
    """Asks Linux to kill this process when the launcher dies, however that happens: no rank outlives its
    node. The launcher must have started it from a thread that lives as long as itself.
    """
    if sys.platform != "linux" or "RALLYPOINT_NODE_INDEX" not in os.environ:
        return
    parent = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it went in between


def main() -> None:
    """Never returns: ends the process with its exit code."""
    stop = Stop()
    stop.listen()
    die_with_launcher()
    quiet_environment()
    if len(sys.argv) != 2:
        print("usage: python -m rallypoint_trainer <contract.json>", file=sys.stderr)
        leave(2)
    try:
        from rallypoint_trainer.main import run

        code = run(Path(sys.argv[1]), stop)
    except Exception as error:  # noqa: BLE001  # the process's last stop: all must reach the error file
        report_crash(error)
        leave(1)
    leave(code)


if __name__ == "__main__":
    main()
