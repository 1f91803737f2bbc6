"""The cluster is a real one: pods run, names resolve, policies hold, operators answer; nothing is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from . import lifecycle
from .images import PROBE_IMAGE
from .kubectl import kubectl, kubectl_or_fail
from .machine import Machine, machine
from .operators import SAMPLES
from .processes import running_pid
from .progress import wait_until

# the first `up` compiles everything
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(3600, func_only=True)]

UNPRIVILEGED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def create(namespace: str, *documents: dict[str, object]) -> None:
    items = {"apiVersion": "v1", "kind": "List", "items": list(documents)}
    kubectl_or_fail("create", "--namespace", namespace, "--filename=-", stdin=json.dumps(items))


def pod(name: str, *arguments: str, label: str = "", **container: object) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"job": label or name}},
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "containers": [
                {"name": "probe", "image": PROBE_IMAGE, "args": list(arguments), **container},
            ],
        },
    }


def service(name: str) -> dict[str, object]:
    spec = {"clusterIP": "None", "selector": {"job": name}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def policy(label: str) -> dict[str, object]:
    own = {"matchLabels": {"job": label}}
    spec = {"podSelector": own, "policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": own}]}]}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": label},
        "spec": spec,
    }


def wait_for(namespace: str, what: str, condition: str) -> None:
    kubectl_or_fail("wait", what, f"--for={condition}", "--namespace", namespace, "--timeout=60s")


def phase(namespace: str, name: str) -> str:
    path = "--output=jsonpath={.status.phase}"
    return kubectl_or_fail("get", "pod", name, "--namespace", namespace, path)


def outcome(namespace: str, name: str) -> tuple[str, str]:
    """The pod's last phase and what it printed."""
    wait_until(f"pod {name} to end", lambda: phase(namespace, name) in ("Succeeded", "Failed"), 60)
    return phase(namespace, name), kubectl_or_fail("logs", name, "--namespace", namespace)


def apply_sample(namespace: str, name: str, *flags: str) -> str:
    sample = f"--filename={SAMPLES / name}"
    return kubectl_or_fail("apply", "--server-side", "--namespace", namespace, sample, *flags)


@pytest.fixture
def bare(bare_machine: Machine | None) -> Machine:
    """The machine before the cluster came, where a test may take the cluster down."""
    if bare_machine is None:
        pytest.skip("the cluster was up before the tests, so it stays up; run `down` first")
    return bare_machine


def all_is_well() -> None:
    lines, well = lifecycle.status()
    assert well, "\n".join(lines)


def test_every_part_is_well(cluster: None) -> None:
    all_is_well()


def test_the_api_server_tells_its_real_version(cluster: None) -> None:
    assert json.loads(kubectl_or_fail("version", "--output=json"))["serverVersion"]["gitVersion"] == "v1.34.4"


def test_a_pod_resolves_a_headless_service(namespace: str) -> None:
    create(namespace, service("server"), pod("server", "serve", ":8080"))
    wait_for(namespace, "pod/server", "condition=Ready")
    address = kubectl_or_fail(
        "get", "pod/server", "--namespace", namespace, "--output=jsonpath={.status.podIP}"
    )
    create(namespace, pod("asker", "resolve", "server"))
    assert outcome(namespace, "asker") == ("Succeeded", f"[{address}]\n")


def test_a_policy_lets_its_own_pods_in_and_no_others(namespace: str) -> None:
    create(namespace, service("server"), policy("server"), pod("server", "serve", ":8080"))
    wait_for(namespace, "pod/server", "condition=Ready")
    create(namespace, pod("inside", "dial", "server:8080", label="server"))
    inside = outcome(namespace, "inside")
    create(namespace, pod("outside", "dial", "server:8080", label="stranger"))
    outside = outcome(namespace, "outside")
    assert (inside[0], outside[0]) == ("Succeeded", "Failed"), f"{inside[1]} {outside[1]}"


def test_a_restricted_namespace_refuses_a_pod_with_rights(restricted_namespace: str) -> None:
    create(restricted_namespace, pod("good", "resolve", "kubernetes.default", securityContext=UNPRIVILEGED))
    bad = json.dumps(pod("bad", "resolve", "kubernetes.default"))
    refused = kubectl("create", "--namespace", restricted_namespace, "--filename=-", stdin=bad)
    assert 'violates PodSecurity "restricted:latest"' in refused.stderr
    assert outcome(restricted_namespace, "good")[0] == "Succeeded"


@pytest.mark.parametrize(
    ("sample", "done"),
    [
        ("pytorchjob.yaml", "pytorchjob/sample condition=Succeeded"),
        ("jobset.yaml", "jobset/sample condition=Completed"),
    ],
)
def test_an_operator_runs_its_kind_to_the_end(namespace: str, sample: str, done: str) -> None:
    apply_sample(namespace, sample)
    wait_for(namespace, *done.split())


def test_a_train_job_runs_from_its_runtime(namespace: str) -> None:
    apply_sample(namespace, "trainingruntime.yaml")
    apply_sample(namespace, "trainjob.yaml", "--dry-run=server")
    apply_sample(namespace, "trainjob.yaml")
    wait_for(namespace, "trainjob/sample-trainjob", "condition=Complete")
    kubectl_or_fail("delete", "trainjob", "sample-trainjob", "--namespace", namespace)


def test_a_queued_job_waits_for_its_queue(namespace: str) -> None:
    apply_sample(namespace, "queued-job.yaml")
    held = kubectl_or_fail("get", "job/sample", "--namespace", namespace, "--output=jsonpath={.spec.suspend}")
    apply_sample(namespace, "queue.yaml")
    wait_for(namespace, "job/sample", "condition=Complete")
    kubectl_or_fail("delete", "--namespace", namespace, f"--filename={SAMPLES / 'queue.yaml'}")
    assert held == "true"


@pytest.mark.parametrize(
    ("sample", "right", "wrong", "words"),
    [
        ("pytorchjob.yaml", "name: pytorch\n", "name: other\n", "at least one container with name pytorch"),
        ("jobset.yaml", "name: sample", "name: s" + "x" * 62, "JobSet name is too long"),
        (
            "trainingruntime.yaml",
            "- name: node\n                      im",
            "- name: x\n                      im",
            "container",
        ),
        (
            "trainjob.yaml",
            "name: sample\n",
            "name: absent\n",
            "absent. not found",
        ),  # Kueue or Trainer, whoever is first
        ("queued-job.yaml", "queue-name: sample", "queue-name: Not_A_Name", "RFC 1123"),
    ],
    ids=lambda value: value if value.endswith(".yaml") else "",
)
def test_a_webhook_refuses(namespace: str, sample: str, right: str, wrong: str, words: str) -> None:
    text = Path(SAMPLES / sample).read_text()
    assert right in text
    refused = kubectl("create", "--namespace", namespace, "--filename=-", stdin=text.replace(right, wrong))
    assert "admission webhook" in refused.stderr and re.search(words, refused.stderr), refused.stderr


def test_up_again_starts_nothing_new(cluster: None) -> None:
    before = [running_pid(program.name) for program in lifecycle.programs()]
    lifecycle.up()
    assert [running_pid(program.name) for program in lifecycle.programs()] == before


@pytest.mark.parametrize("name", ["containerd", "etcd", "kubelet"])
def test_up_mends_a_cluster_whose_program_was_killed(cluster: None, name: str) -> None:
    pid = running_pid(name)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_until(f"the end of {name}", lambda: running_pid(name) is None, 10)
    lifecycle.up()
    wait_until("operators to get their lease again", lambda: lifecycle.status()[1], 120)


@pytest.mark.parametrize("last", ["kube-apiserver", "kubelet"])
def test_up_mends_what_a_killed_up_has_left(cluster: None, bare: Machine, last: str) -> None:
    """`last` is the last program that it started."""
    lifecycle.down()
    killed = subprocess.Popen([sys.executable, "-m", "tests.cluster", "up"], cwd=Path(__file__).parents[2])
    try:
        wait_until(f"the start of {last}", lambda: bool(running_pid(last) or killed.poll()), 300)
    finally:
        killed.kill()
        killed.wait()
    lifecycle.up()
    all_is_well()


def test_down_leaves_the_machine_as_it_was(cluster: None, bare: Machine) -> None:
    lifecycle.down()
    assert machine() == bare
