"""The cluster for the tests of this folder: brought up when it is not there, and then taken down again."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator

import pytest

from . import lifecycle
from .access import foreign
from .build import MODULES
from .kubectl import kubectl_or_fail
from .machine import Machine, machine
from .missing import missing
from .places import STATE


@pytest.fixture(scope="session")
def bare_machine() -> Machine | None:
    """The machine before the cluster came; None when the cluster was there already, or is not ours."""
    if foreign():
        return None
    lacking = [*missing(), *uncompiled()]
    if lacking:
        pytest.skip(f"no cluster here: {'; '.join(lacking)}")
    return None if STATE.exists() else machine()  # even if a part of it is not well just now


def uncompiled() -> list[str]:
    """What is not compiled, where RALLYPOINT_CLUSTER=compiled asks not to wait for that."""
    if os.environ.get("RALLYPOINT_CLUSTER") != "compiled":
        return []
    names = [module.name for module in MODULES if not module.is_built]
    return [f"not compiled yet: {', '.join(names)}; make cluster-up"] if names else []


@pytest.fixture(scope="session")
def cluster(bare_machine: Machine | None) -> Iterator[None]:
    if not foreign():
        lifecycle.up()
    yield
    if bare_machine is not None:
        lifecycle.down()


@pytest.fixture
def namespace(cluster: None) -> Iterator[str]:
    yield from new_namespace({})


@pytest.fixture
def restricted_namespace(cluster: None) -> Iterator[str]:
    yield from new_namespace({"pod-security.kubernetes.io/enforce": "restricted"})


def new_namespace(labels: dict[str, str]) -> Iterator[str]:
    """A fresh namespace; its removal must end, or one of the API's parts is broken."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
    kubectl_or_fail("create", "--filename=-", stdin=json.dumps(document))
    wait = ("wait", "--for=create", "serviceaccount/default", "--namespace", name, "--timeout=30s")
    kubectl_or_fail(*wait)
    yield name
    kubectl_or_fail("delete", "namespace", name, "--timeout=60s")
