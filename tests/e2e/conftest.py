"""The cluster with the Python image, one namespace for all jobs, and what a failed test leaves to read."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..cluster.conftest import bare_machine, cluster  # noqa: F401  (fixtures)
from ..cluster.kubectl import kubectl
from .image import import_python_image
from .kind import KINDS, Kind
from .release import prepare  # noqa: F401  (a fixture)
from .run import Run, job_file, rendered
from .space import Space, make_space, remove_space
from .training_fixtures import (  # noqa: F401  (fixtures)
    figure,
    mrpc_here,
    tiny,
    tiny_here,
    train,
    training_image,
    trainings,
)

Start = Callable[..., Run]


@pytest.fixture(scope="session")
def space(cluster: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Space]:  # noqa: F811
    import_python_image()
    made = Space(f"e2e-{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("e2e") / "output")
    make_space(made)
    yield made
    remove_space(made)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture
def start(space: Space, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Renders and applies a job; it is deleted after the test, and described when the test failed."""
    started: list[Run] = []

    def begin(kind: Kind, name: str, script: str, **fields: Any) -> Run:
        text = rendered(kind.name, job_file(name, script, **fields), tmp_path)
        run = Run(kind, name, space.namespace, text, space.folder / name)
        started.append(run)
        warnings = run.apply()
        assert warnings == ""
        return run

    yield begin
    for run in started:
        if getattr(request.node, "failed", False):
            print(story(run))
        kubectl("delete", "--filename=-", "--namespace", run.namespace, "--timeout=60s", stdin=run.text)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report: Any = yield
    if report.when == "call":
        item.failed = report.failed  # type: ignore[attr-defined]
    return report


def story(run: Run) -> str:
    """Events, descriptions and logs, as one text."""
    where = ("--namespace", run.namespace)
    mine = ("--selector", f"rallypoint.dev/job={run.name}")
    calls = [
        ("get", "events", "--sort-by=.lastTimestamp", *where),
        ("get", "pods", "--output=wide", *mine, *where),
        ("describe", f"{run.kind.resource}/{run.name}", *where),
        ("describe", "pods", *mine, *where),
        ("logs", "--prefix", "--tail=60", "--max-log-requests=20", *mine, *where),
        ("logs", "--prefix", "--tail=60", "--max-log-requests=20", "--previous", *mine, *where),
    ]
    parts = []
    for call in calls:
        result = kubectl(*call)
        parts.append(f"$ kubectl {' '.join(call)}\n{(result.stdout + result.stderr)[-6000:]}")
    return "\n".join(parts)
