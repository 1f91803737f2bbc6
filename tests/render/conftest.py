"""The smallest valid job, and what it renders to."""

from collections.abc import Callable
from typing import Any

import pytest

from rallypoint.render import render
from rallypoint.spec import Job

SMALLEST = {
    "name": "mrpc",
    "nodes": 3,
    "image": "trainer:1",
    "script": {"module": "train"},
    "output": {"pvc": "shared"},
}


@pytest.fixture
def job() -> Callable[..., Job]:
    """The smallest job with some fields changed; None leaves a field out."""

    def changed(**changes: Any) -> Job:
        document = {**SMALLEST, **changes}
        return Job.model_validate({key: value for key, value in document.items() if value is not None})

    return changed


@pytest.fixture
def rendered(job) -> Callable[..., dict[str, dict[str, Any]]]:
    """The objects of such a job by their kind; claims by their name."""

    def objects(scripts: dict[str, str] | None = None, **changes: Any) -> dict[str, dict[str, Any]]:
        found = render(job(**changes), scripts or {})
        return {
            item["metadata"]["name"] if item["kind"] == "PersistentVolumeClaim" else item["kind"]: item
            for item in found
        }

    return objects


@pytest.fixture
def pod(rendered) -> Callable[..., dict[str, Any]]:
    """The pod's spec of such a job as a Job."""

    def spec(**changes: Any) -> dict[str, Any]:
        return rendered(**changes)["Job"]["spec"]["template"]["spec"]

    return spec


@pytest.fixture
def container(pod) -> Callable[..., dict[str, Any]]:
    """The training container of such a job as a Job."""
    return lambda **changes: pod(**changes)["containers"][0]


@pytest.fixture
def env(container) -> Callable[..., dict[str, Any]]:
    """The training container's variables by name: the text, or where it comes from."""

    def variables(**changes: Any) -> dict[str, Any]:
        entries = container(**changes)["env"]
        return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in entries}

    return variables
