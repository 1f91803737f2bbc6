"""A job file that the command line starts, and that is deleted after its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .cli import Typed, rallypoint, typed
from .conftest import story
from .kind import Kind
from .space import Space

Type = Callable[..., Typed]


@pytest.fixture
def written(space: Space, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Type]:
    """Writes a job file; whatever was started under its name is deleted after the test."""
    jobs: list[Typed] = []

    def write(kind: Kind, name: str, script: str, **fields: Any) -> Typed:
        job = typed(kind, name, script, (space.namespace, space.folder, tmp_path), **fields)
        jobs.append(job)
        return job

    yield write
    for job in jobs:
        if getattr(request.node, "failed", False):
            print(story(job.run))
        rallypoint("delete", job.name, "--namespace", job.namespace)
