"""PID 1's duty: takes leave of orphans that have ended, so that the pod does not fill with zombies."""

from __future__ import annotations

import os
from collections.abc import Container


def reap(own: Container[int]) -> None:
    """Reaps every ended child that is not this launcher's own; only PID 1 is given others' children.

    Its own are polled where they are watched; one of them that has just ended stops the round until the
    next turn.
    """
    if os.getpid() != 1:
        return
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in own:
            return
        os.waitpid(ended.si_pid, 0)
