"""The contract: the one small JSON file between the generator and what runs in a pod.

Copies `train` or `script` from the spec as they stand; what the pod can derive, the pod derives.
Local run and pods differ in addresses and paths only.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from rallypoint.quantity import seconds
from rallypoint.spec import Job

VERSION = 1
"""Raised when a launcher or trainer of an older release could misread the file."""

POD_OUTPUT = "/output"
POD_WORKDIR = "/workspace"


class Place(NamedTuple):
    """What differs between this machine and a pod: addresses and paths."""

    endpoint: str
    output: str | None
    """Folder of this job's results, `<output>/<name>`; None for a script without output."""
    workdir: str
    idle_when_done: bool = False
    """The pods always start again (StatefulSet): wait beside the marker instead of ending."""


def contract(job: Job, place: Place, files: dict[str, str]) -> dict[str, Any]:
    """The contract of `job` at `place`; `files` holds the text of each shipped script by relative path."""
    return {
        "version": VERSION,
        "name": job.name,
        "nodes": job.nodes,
        "nproc_per_node": job.nproc,
        "gpus": job.resources.gpus,
        "endpoint": place.endpoint,
        "agent": job.rendezvous.agent,
        "rendezvous_timeout_seconds": seconds(job.rendezvous.timeout),
        "max_restarts": job.max_restarts,
        "grace_period_seconds": seconds(job.grace_period),
        "output": place.output,
        "workdir": place.workdir,
        "idle_when_done": place.idle_when_done,
        "image": job.image,
        "debug": job.debug,
        "files": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()},
        **_program(job),
    }


def _program(job: Job) -> dict[str, Any]:
    """`train` or `script` as the spec has them, defaults left out; an inline script is shipped as a file."""
    if job.train is not None:
        return {"train": job.train.model_dump(mode="json", exclude_unset=True)}
    assert job.script is not None
    script = job.script.model_dump(mode="json", exclude_unset=True, exclude={"files"})
    return {"script": {**script, "inline": True} if job.script.inline is not None else script}


def contract_text(document: dict[str, Any]) -> str:
    """The contract as the bytes that everybody reads: sorted, indented, one final newline."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
