"""Rules on PyTorchJobs: the webhook's, and what it lets pass although it cannot work.

Source: training-operator 1.9, pkg/webhooks/pytorch; CRD kubeflow.org/v1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rallypoint.checks.container import amount, devices
from rallypoint.checks.finding import Fault, Object, title
from rallypoint.checks.pod_template import mapping, of_kind, pod_templates, sequence

ROLES = ("Master", "Worker")
RUN_POLICY = (
    "cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit", "suspend",
    "managedBy", "schedulingPolicy",
)  # fmt: skip
RESTART = ("Always", "OnFailure", "Never", "ExitCode")
CLEAN = ("None", "Running", "All")
MANAGERS = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")


def _replicas(item: Object) -> dict[str, Any]:
    return mapping(item, "spec", "pytorchReplicaSpecs")


def pytorch_jobs_have_replicas(objects: Sequence[Object]) -> Iterator[Fault]:
    """Master exactly one, Worker at least one, nothing else."""
    for item in of_kind(objects, "PyTorchJob"):
        path = "spec.pytorchReplicaSpecs"
        if not _replicas(item):
            yield Fault(title(item), path, "must be given; add Worker")
        for role, replica in _replicas(item).items():
            count = mapping(replica).get("replicas")
            if role not in ROLES:
                yield Fault(title(item), f"{path}.{role}", "is no role; use Master or Worker")
            elif role == "Master" and count != 1:
                yield Fault(title(item), f"{path}.Master.replicas", f"must be 1 (got {count}); add Workers")
            elif role == "Worker" and (count if isinstance(count, int) else 1) < 1:
                text = f"must be at least 1 (got {count}); leave Worker out for a single node"
                yield Fault(title(item), f"{path}.Worker.replicas", text)


def pytorch_jobs_have_a_pytorch_container(objects: Sequence[Object]) -> Iterator[Fault]:
    """The operator looks for the name, and for an image in every container."""
    for item in of_kind(objects, "PyTorchJob"):
        for pod in pod_templates(item):
            names = [container.get("name") for _, container in pod.containers]
            if "pytorch" not in names:
                yield pod.fault("containers", f"needs a container named pytorch (got {names}); rename it")
            for path, container in pod.containers:
                if not container.get("image"):
                    yield pod.fault(path, "has no image; give one")


def nproc_per_node_is_text(objects: Sequence[Object]) -> Iterator[Fault]:
    """The CRD refuses a number; the operator counts what it cannot read as 1."""
    for item in of_kind(objects, "PyTorchJob"):
        value = mapping(item, "spec").get("nprocPerNode", "auto")
        known = isinstance(value, str) and (value in ("auto", "cpu", "gpu") or value.isdecimal())
        if not known:
            text = f'must be text, a number or auto, cpu, gpu (got {value!r}); write "1"'
            yield Fault(title(item), "spec.nprocPerNode", text)


def nproc_per_node_fits_the_gpus(objects: Sequence[Object]) -> Iterator[Fault]:
    """Two processes on one GPU are slower than one, or out of memory."""
    for item in of_kind(objects, "PyTorchJob"):
        value = mapping(item, "spec").get("nprocPerNode")
        for pod in pod_templates(item):
            for path, container in pod.containers:
                gpus = sum(
                    int(amount(limit) or 0)
                    for name, (_, limit) in devices(container).items()
                    if "gpu" in name
                )
                if isinstance(value, str) and value.isdecimal() and 0 < gpus < int(value):
                    yield pod.fault(path, f"has {gpus} GPUs for nprocPerNode {value}; make them the same")


def run_policy_is_at_its_place(objects: Sequence[Object]) -> Iterator[Fault]:
    """These fields lie below runPolicy; at the spec's level the API server drops or refuses them."""
    for item in of_kind(objects, "PyTorchJob"):
        for key in RUN_POLICY:
            if key in mapping(item, "spec"):
                yield Fault(
                    title(item), f"spec.{key}", f"belongs below runPolicy; move it to spec.runPolicy.{key}"
                )


def pytorch_policies_are_known(objects: Sequence[Object]) -> Iterator[Fault]:
    """The CRD has no list of the allowed words; a wrong one is ignored."""
    for item in of_kind(objects, "PyTorchJob"):
        policy = mapping(item, "spec", "runPolicy")
        named = [
            ("spec.runPolicy.cleanPodPolicy", policy.get("cleanPodPolicy"), CLEAN),
            ("spec.runPolicy.managedBy", policy.get("managedBy"), MANAGERS),
        ]
        for role, replica in _replicas(item).items():
            path = f"spec.pytorchReplicaSpecs.{role}.restartPolicy"
            named.append((path, mapping(replica).get("restartPolicy"), RESTART))
        for path, value, allowed in named:
            if value is not None and value not in allowed:
                yield Fault(title(item), path, f"is unknown (got {value!r}); use {', '.join(allowed)}")


def elastic_policy_is_complete(objects: Sequence[Object]) -> Iterator[Fault]:
    """Workers within its bounds, the processes of a node given in one place, no empty rdzvConf."""
    for item in of_kind(objects, "PyTorchJob"):
        spec = mapping(item, "spec")
        if "elasticPolicy" not in spec:
            continue
        policy, workers = mapping(spec, "elasticPolicy"), mapping(_replicas(item), "Worker")
        count = workers.get("replicas", 1)
        low, high = policy.get("minReplicas", count), policy.get("maxReplicas", count)
        if not workers:
            yield Fault(title(item), "spec.elasticPolicy", "needs Worker; add it")
        elif not low <= count <= high:
            text = f"Worker.replicas {count} lies outside {low} to {high}; change one of them"
            yield Fault(title(item), "spec.elasticPolicy", text)
        if "nProcPerNode" in policy and "nprocPerNode" in spec:
            text = "and spec.nprocPerNode exclude each other; keep spec.nprocPerNode"
            yield Fault(title(item), "spec.elasticPolicy.nProcPerNode", text)
        if "rdzvConf" in policy and not sequence(policy, "rdzvConf"):
            text = "is empty, which ends the operator with a panic; leave it out"
            yield Fault(title(item), "spec.elasticPolicy.rdzvConf", text)
