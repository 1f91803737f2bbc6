"""Runs one node of a distributed training job: `python3 -u <this folder> <contract.json>`, PID 1 of its pod.

Ends with 0 (done), 1 (failed for good), 2 (wrong input) or 143 (stopped or left alone for outside reasons:
start me again). Standard library only; torch's own agent is imported only when the contract asks for it.
"""

from __future__ import annotations

import interrupt

interrupt.install()  # before the imports below: PID 1 ignores what it has no handler for

import os  # noqa: E402
import sys  # noqa: E402

import launch  # noqa: E402

if __name__ == "__main__":
    code = launch.launch(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # threads of a frozen connection must not hold up the end
