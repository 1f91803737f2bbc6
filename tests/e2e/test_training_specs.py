"""Random valid job files pass the API server's own strict validation and every webhook, on each kind."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from ..cluster.kubectl import kubectl, kubectl_or_fail
from ..render.cases import random
from .kind import Kind

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900, func_only=True)]

CHUNK, APART = 40, 100
FIRST, *MORE = range(2000, 2500, APART)
"""Seeds at which chunks begin: 200 specs per kind altogether."""

CHUNKS = [FIRST, *(pytest.param(first, marks=pytest.mark.exhaustive) for first in MORE)]


@pytest.fixture(scope="module")
def anything(cluster: None) -> Iterator[str]:
    """A namespace in which pods may have any right."""
    name = f"specs-{uuid.uuid4().hex[:8]}"
    kubectl_or_fail("create", "namespace", name)
    yield name
    kubectl_or_fail("delete", "namespace", name, "--timeout=90s")


@pytest.mark.parametrize("first", CHUNKS)
def test_random_specs_pass_a_strict_dry_run(kind: Kind, first: int, anything: str) -> None:
    cases = (random(kind.name, seed) for seed in range(first, first + APART))
    allowed = (case for case in cases if not case.job.security.privileged)  # this API server forbids those
    taken = list(islice(allowed, CHUNK))
    assert len(taken) == CHUNK
    items = [item for case in taken for item in moved(case.objects, anything)]
    runtimes = [item for item in items if item["kind"] == "TrainingRuntime"]
    if kind.name == "trainjob":  # it is refused without its runtime, and a dry run leaves none
        kubectl_or_fail("apply", "--server-side", "--filename=-", stdin=as_list(runtimes))
    flags = ("--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "--filename=-")
    result = kubectl("apply", *flags, stdin=as_list(items))
    assert (result.returncode, result.stderr) == (0, "")
    assert len(result.stdout.splitlines()) == len(items)


def moved(objects: list[dict[str, Any]], namespace: str) -> list[dict[str, Any]]:
    """Copies in another namespace."""
    return [{**item, "metadata": {**item["metadata"], "namespace": namespace}} for item in objects]


def as_list(items: list[dict[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
