"""What a job needs on a cluster and not on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rallypoint.errors import InputError
from rallypoint.podview.patch import owned_keys
from rallypoint.spec import Job

LARGEST_CONFIG = 240 * 1024
"""Bytes: a client-side apply stores the object once more in an annotation, which may have 262,144."""


def refuse_what_a_cluster_cannot_run(job: Job) -> None:
    """Raises: InputError with a line for each thing that is missing or may not be there."""
    found = owned_keys(job)
    if job.image is None:
        found.insert(0, f"image: needed on a cluster (kind {job.kind!r}); give one that has torch")
    if job.output is None and job.train is not None:
        found.append("output: needed on a cluster for train (got none); give storage that all nodes share")
    if job.output is None and job.train is None and job.kind == "statefulset":
        found.append(
            "output: needed for kind 'statefulset' (got none): its pods always start again and look for"
            " the end there; give storage that all nodes share, or use another kind"
        )
    if found:
        raise InputError("\n".join(found))


def refuse_too_much_config(data: Mapping[str, str]) -> None:
    """Raises: InputError when the files do not fit into one ConfigMap; names the largest."""
    sizes = {key: _stored(text) for key, text in data.items()}
    total = sum(sizes.values())
    if total <= LARGEST_CONFIG:
        return
    launcher = sum(size for key, size in sizes.items() if key.startswith("launcher."))
    largest = sorted((key for key in sizes if not key.startswith("launcher.")), key=lambda key: -sizes[key])[
        :3
    ]
    listed = ", ".join(f"{key} {sizes[key] // 1024} KiB" for key in largest)
    raise InputError(
        f"script: the job's files are too large for a ConfigMap ({total // 1024} KiB of {LARGEST_CONFIG // 1024}:"
        f" {listed}, launcher {launcher // 1024} KiB); put large files into the image or on a volume and give"
        " their absolute path"
    )


def _stored(text: str) -> int:
    """Bytes of `text` as kubectl stores it: JSON, with <, > and & as six letters each."""
    return len(json.dumps(text, ensure_ascii=False).encode()) + 5 * sum(map(text.count, "<>&"))
