"""What a cluster refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rallypoint.errors import InputError, Problem, SpecError
from rallypoint.spec import Job, rules

LARGEST_CONFIG = 240 * 1024
"""Bytes: a client-side apply stores the object once more in an annotation, which may have 262,144."""


def refuse_broken_rules(job: Job) -> None:
    """Raises: SpecError with every rule that `job` breaks on a cluster. Loading says the same, with lines."""
    violations = rules.on_cluster(job)
    if violations:
        raise SpecError([Problem("", 0, ".".join(map(str, found.key)), found.text) for found in violations])


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
        f"script: too large for a ConfigMap ({total // 1024} KiB of {LARGEST_CONFIG // 1024}:"
        f" {listed}, launcher {launcher // 1024} KiB); put large files into the image or on a volume and give"
        " their absolute path"
    )


def _stored(text: str) -> int:
    """Bytes of `text` as kubectl stores it: JSON, with <, > and & as six letters each."""
    return len(json.dumps(text, ensure_ascii=False).encode()) + 5 * sum(map(text.count, "<>&"))
