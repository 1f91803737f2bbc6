"""How a launcher ends: its exit code, and the message that Kubernetes keeps of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

DONE, FAILED, BAD_INPUT, AGAIN = 0, 1, 2, 143
"""Exit codes: done; failed for good; wrong input; stopped or left alone for outside reasons, start me
again."""

TERMINATION_LOG = "/dev/termination-log"  # Kubernetes' default terminationMessagePath
LARGEST = 4000  # the kubelet cuts a termination message at 4096 bytes


class Ending(NamedTuple):
    """Why this launcher ends, in words, and the rank that failed first, when there is one."""

    code: int
    message: str
    rank: int | None = None
    node: int | None = None
    step: int | None = None
    traceback: str = ""


def termination_message(ending: Ending, facts: dict[str, object]) -> str:
    """JSON of less than 4 KB: the ending and `facts`, with as much of the traceback's end as fits."""
    fields: dict[str, object] = {"code": ending.code, "message": ending.message[:1000], **facts}
    for key, value in (("rank", ending.rank), ("node", ending.node), ("step", ending.step)):
        if value is not None:
            fields[key] = value
    kept = ending.traceback
    while True:
        text = json.dumps({**fields, "traceback": kept} if kept else fields, ensure_ascii=False)
        text = text.encode(errors="replace").decode()  # half of a surrogate pair, as of a file's odd name
        excess = len(text.encode()) - LARGEST
        if excess <= 0 or not kept:
            return text
        kept = kept[
            max(excess // 2, 1) :
        ]  # an escaped character is longer than it looks: cut, then measure again


def write_termination_message(text: str) -> None:
    """Leaves the message where the kubelet, or a local `run`, looks for it; silently not, where nobody
    looks.
    """
    path = Path(os.environ.get("RALLYPOINT_TERMINATION_LOG") or TERMINATION_LOG)
    if path == Path(TERMINATION_LOG) and not path.exists():
        return  # not in a pod
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError:
        pass  # the exit code and the log say the same; a message must never be what a job fails of
