"""What of the pod is ours: variables, labels, containers, and the keys that patches may not touch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rallypoint.spec.base import DNS_1123
from rallypoint.spec.job import Job
from rallypoint.spec.rules.violation import Path, Violation
from rallypoint.spec.written import shown

OWN_VARIABLES = {
    "RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_WORLD_SIZE",
    "ROLE_WORLD_SIZE", "ROLE_NAME", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT", "JOB_COMPLETION_INDEX",
}  # fmt: skip
OWN_PREFIXES = ("RALLYPOINT_", "TORCHELASTIC_", "PET_")
LABEL_DOMAINS = (
    "rallypoint.dev", "batch.kubernetes.io", "apps.kubernetes.io", "training.kubeflow.org",
    "trainer.kubeflow.org", "jobset.sigs.k8s.io",
)  # fmt: skip
"""Labels of these are set by us or a controller; pods are found by them."""
CONTAINERS = ("trainer", "pytorch", "node")
"""Names of the training container, by kind."""

POD_OWNED = {
    "containers": "use container_patch or sidecars",
    "initContainers": "use init_containers",
    "volumes": "use volumes",
    "restartPolicy": "the kind decides it",
    "terminationGracePeriodSeconds": "use grace_period",
    "hostname": "node 0 is found by its label; remove it",
    "subdomain": "node 0 is found by its label; remove it",
    "setHostnameAsFQDN": "node 0 is found by its label; remove it",
    "hostNetwork": "use network.host_network",
    "activeDeadlineSeconds": "use deadline",
}
"""Keys of the pod's spec, each with the way out: a merge patch replaces lists, with all that a run needs."""

CONTAINER_OWNED = {
    "name": "the kind decides it",
    "image": "use image",
    "command": "use script",
    "args": "use script.args",
    "workingDir": "the shipped scripts lie there; remove it",
    "env": "use env",
    "envFrom": "use env_from",
    "ports": "use rendezvous.port",
    "volumeMounts": "use volumes",
    "restartPolicy": "the kind decides it",
    "terminationMessagePath": "the launcher writes it; remove it",
    "stdin": "the launcher reads none; remove it",
    "tty": "the launcher reads none; remove it",
}
"""Keys of the training container, each with the way out."""


def variables_are_free(job: Job) -> Iterator[Violation]:
    """No variable that the launcher or torch sets."""
    for name in job.env:
        if name in OWN_VARIABLES or name.startswith(OWN_PREFIXES):
            yield Violation(("env", name), "is set by the launcher for each process (got a value); remove it")


def labels_are_free(job: Job) -> Iterator[Violation]:
    """No label by which pods are found."""
    fields = (("labels", job.labels), ("annotations", job.annotations))
    for field, labels in fields:
        for key in labels:
            if key.partition("/")[0] in LABEL_DOMAINS and "/" in key:
                yield Violation(
                    (field, key), f"belongs to a controller (got {shown(labels[key])}); remove it"
                )
    queue = "kueue.x-k8s.io/queue-name"
    if queue in job.labels and job.scheduling.queue is not None:
        both = f"{job.labels[queue]!r} and {job.scheduling.queue!r}"
        text = f"is what scheduling.queue sets (got {both}); keep scheduling.queue alone"
        yield Violation(("labels", queue), text, (("scheduling", "queue"),))


def patches_spare_what_is_ours(job: Job) -> Iterator[Violation]:
    """Patches do not touch what a run relies on."""
    for field, patch, owned in (
        ("pod_patch", job.pod_patch, POD_OWNED),
        ("container_patch", job.container_patch, CONTAINER_OWNED),
    ):
        for key, value in patch.items():
            if key in owned:
                yield Violation((field, key), f"may not be patched (got {shown(value)}); {owned[key]}")


def containers_are_whole(job: Job) -> Iterator[Violation]:
    """Sidecars and init containers have a name of their own and an image."""
    seen: dict[str, str] = {}
    for field, containers in (("sidecars", job.sidecars), ("init_containers", job.init_containers)):
        for index, container in enumerate(containers):
            key: Path = (field, index)
            yield from _container(key, container, seen)


def _container(key: Path, container: dict[str, Any], seen: dict[str, str]) -> Iterator[Violation]:
    """What is wrong with one container."""
    name = container.get("name")
    if not isinstance(name, str) or re.fullmatch(DNS_1123, name) is None or len(name) > 63:
        text = f"needs a name of lower-case letters, digits and '-' (got {shown(name)}); give it one"
        yield Violation((*key, "name"), text)
    elif name in CONTAINERS:
        yield Violation((*key, "name"), f"is the training container's name (got {name!r}); choose another")
    elif name in seen:
        text = f"is the name of {seen[name]} too (got {name!r}); choose another"
        yield Violation((*key, "name"), text, (("sidecars",), ("init_containers",)))
    else:
        seen[name] = f"{key[0]}[{key[1]}]"
    image = container.get("image")
    if not isinstance(image, str) or not image:
        yield Violation((*key, "image"), f"needs an image (got {shown(image)}); give it one")


RULES = (variables_are_free, labels_are_free, patches_spare_what_is_ours, containers_are_whole)
