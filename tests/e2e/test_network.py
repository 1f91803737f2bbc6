"""The job's NetworkPolicy: a foreign pod of the same namespace reaches no port of the job."""

from __future__ import annotations

import json

import pytest

from ..cluster.images import PROBE_IMAGE
from ..cluster.progress import wait_until
from .conftest import Start
from .kind import KINDS
from .programs import HOLD, MEET
from .run import Run

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]


def probe(run: Run, name: str, address: str, labels: dict[str, str]) -> str:
    """How a pod with these labels ends that dials the address: Succeeded or Failed."""
    rights = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True}
    profile = {"seccompProfile": {"type": "RuntimeDefault"}}
    container = {"name": "probe", "image": PROBE_IMAGE, "args": ["dial", address]}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{**container, "securityContext": {**rights, **profile}}],
        },
    }
    run.kubectl("create", "--filename=-", stdin=json.dumps(pod))

    def phase() -> str:
        return run.kubectl("get", "pod", name, "--output=jsonpath={.status.phase}")

    wait_until(f"pod {name} to end", lambda: phase() in ("Succeeded", "Failed"), 60)
    ended = phase()
    run.kubectl("delete", "pod", name, "--grace-period=1")
    return ended


def test_only_pods_of_the_job_reach_its_rendezvous_port(start: Start) -> None:
    run = start(KINDS[0], "guarded", MEET + HOLD)
    run.wait_for_ranks(3)
    address = f"{run.name}-rdzv:29400"
    own = probe(run, "own", address, {"rallypoint.dev/job": run.name})
    foreign = probe(run, "foreign", address, {"rallypoint.dev/job": "another"})
    assert (own, foreign) == ("Succeeded", "Failed")
