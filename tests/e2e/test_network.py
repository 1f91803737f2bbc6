"""The job's NetworkPolicy: its own pods reach each port of the job, a foreign pod none of them."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from ..cluster.images import PROBE_IMAGE
from ..cluster.kubectl import kubectl_or_fail
from ..cluster.progress import wait_until
from .conftest import Start
from .kind import KINDS
from .programs import HOLD, LISTEN, MEET
from .space import create, document

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]


RIGHTS = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def dial(address: str, **metadata: Any) -> dict[str, Any]:
    """A pod that dials the address, and ends well when it is answered."""
    container = {"name": "probe", "image": PROBE_IMAGE, "args": ["dial", address], "securityContext": RIGHTS}
    spec = {"restartPolicy": "Never", "containers": [container]}
    return document("Pod", metadata, spec)


def probe(namespace: str, label: str, addresses: list[str]) -> dict[str, str]:
    """Address to how a pod of that namespace and job label ends that dials it: Succeeded or Failed."""
    names = [f"probe-{uuid.uuid4().hex[:8]}" for _ in addresses]
    of = {"namespace": namespace, "labels": {"rallypoint.dev/job": label}}
    create(*(dial(address, name=name, **of) for name, address in zip(names, addresses, strict=True)))
    where = ("pods", "--namespace", namespace, *names)

    def ends() -> list[str]:
        return kubectl_or_fail("get", *where, "--output=jsonpath={.items[*].status.phase}").split()

    try:
        wait_until("the probes to end", lambda: set(ends()) <= {"Succeeded", "Failed"}, 60)
        return dict(zip(addresses, ends(), strict=True))
    finally:
        kubectl_or_fail("delete", *where, "--grace-period=1")


def test_each_port_of_the_job_is_open_to_its_own_pods_alone(start: Start) -> None:
    run = start(KINDS[0], "guarded", MEET + LISTEN + HOLD)
    run.wait_for_ranks(3)
    pods = sorted(run.pods().items())
    addresses = [f"{pod['status']['podIP']}:{port}" for index, pod in pods for port in run.ports(index)]
    assert len(addresses) == 4  # each rank's own, and the rendezvous port of node 0
    assert probe(run.namespace, run.name, addresses) == dict.fromkeys(addresses, "Succeeded")
    assert probe(run.namespace, "another", addresses) == dict.fromkeys(addresses, "Failed")
    assert probe("default", run.name, addresses) == dict.fromkeys(addresses, "Failed")
