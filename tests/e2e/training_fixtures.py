"""The trainer image on the cluster, a namespace for trainings, and the local results to compare with."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..cluster.kubectl import kubectl
from .image_training import import_training_image
from .kind import KINDS, Kind
from .space import Space, make_space, remove_space
from .training_job import EXAMPLE, SMALL_MACHINE, write_tiny
from .training_result import Result
from .training_run import TrainingRun, rendered, run_locally, sets

Train = Callable[..., TrainingRun]
FIGURES = "RALLYPOINT_FIGURES"
"""Names a file to which each measurement is added as a line of JSON."""

EACH = [
    pytest.param(kind, id=kind.name, marks=[pytest.mark.core] if kind.name == "job" else []) for kind in KINDS
]
"""All kinds; the first is what is tested when time is short."""

MRPC = (
    *SMALL_MACHINE,
    "train.training_args.max_steps=12",
    "train.training_args.logging_steps=1",
    "train.training_args.per_device_train_batch_size=4",
    "train.training_args.save_strategy=steps",
    "train.training_args.save_steps=8",
)
"""The example, for few steps: it has an evaluation at the end."""


@pytest.fixture(scope="session")
def training_image(cluster: None) -> str:
    return import_training_image()


@pytest.fixture(scope="session")
def trainings(training_image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Space]:
    """The namespace of all trainings; level `restricted` is enforced."""
    made = Space(f"train-{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("trainings") / "output")
    make_space(made)
    yield made
    remove_space(made)
    shutil.rmtree(made.folder)


@pytest.fixture
def train(training_image: str, trainings: Space, request: pytest.FixtureRequest) -> Iterator[Train]:
    """Applies a job file: rendered, by kubectl, or `typed`, by `rallypoint apply`. The job is deleted after
    the test, and described when that failed.
    """
    from .conftest import story  # which imports this file

    started: list[TrainingRun] = []

    def begin(kind: Kind, name: str, job: Path, *values: str, typed: bool = False) -> TrainingRun:
        own = (f"name={name}", f"image={training_image}", "security.user=12345", "security.fs_group=0")
        text = rendered(job, kind.name, *own, *values)
        run = TrainingRun(kind, name, trainings.namespace, text, trainings.folder / name)
        started.append(run)
        if typed:
            run.verb("apply", str(job), "--kind", kind.name, *sets([*own, *values]))
        else:
            assert run.apply() == ""
        return run

    yield begin
    for run in started:
        if getattr(request.node, "failed", False):
            print(story(run))
        kubectl("delete", "--filename=-", "--namespace", run.namespace, "--timeout=90s", stdin=run.text)
        shutil.rmtree(run.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def mrpc_here(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The example's result on this machine, with the settings of the cluster's runs."""
    return run_locally(EXAMPLE, tmp_path_factory.mktemp("mrpc"), *MRPC)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny job's file, beside its model and data."""
    return write_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def tiny_here(tiny: Path) -> Result:
    """Its result when nothing disturbs it."""
    return run_locally(tiny, tiny.parent)


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Adds what a test has measured to the file that RALLYPOINT_FIGURES names, if it names one.

    tools/faults.py makes the tables of docs/faults.md of it.
    """

    def add(what: str, **values: Any) -> None:
        path = os.environ.get(FIGURES)
        if path:
            with Path(path).open("a") as file:
                file.write(json.dumps({"test": request.node.name, "what": what, **values}) + "\n")

    return add
