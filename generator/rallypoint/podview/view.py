"""The one value that templates print; every field is decided."""

from __future__ import annotations

from typing import Any, NamedTuple

from rallypoint.podview.claim import Claim
from rallypoint.spec import KindName

Block = dict[str, Any]
"""A mapping spelled as Kubernetes does."""


class Objects(NamedTuple):
    """The objects of a job, and its workload."""

    kind: KindName
    name: str
    namespace: str
    labels: dict[str, str]
    """Of every object and pod."""
    annotations: dict[str, str]
    queue_labels: dict[str, str]
    """Of the workload alone: Kueue's."""
    selector: dict[str, str]
    """Finds every pod of the job."""
    config_name: str
    config_data: dict[str, str]
    files_name: str
    files_data: dict[str, str]
    endpoint_name: str
    endpoint_selector: dict[str, str]
    """Finds node 0 alone."""
    port: int
    port_name: str
    claims: list[Claim]
    policy: bool
    nodes: int
    nproc_per_node: str
    """Text, because a PyTorchJob wants it so."""
    backoff_limit: int
    suspend: bool
    deadline_seconds: int
    ttl_seconds: int


class Pod(NamedTuple):
    """Each pod of the job."""

    pod_labels: dict[str, str]
    pod_annotations: dict[str, str]
    restart_policy: str
    grace_seconds: int
    service_account: str
    service_account_token: bool
    image_pull_secrets: list[Block]
    host_network: bool
    priority_class: str
    scheduler_name: str
    node_selector: dict[str, str]
    tolerations: list[Block]
    affinity: Block
    spread: str
    """A machine label on whose values the pods are spread."""
    pod_security: Block
    volumes: list[Block]
    init_containers: list[Block]
    sidecars: list[Block]
    pod_patch: Block
    """A merge patch, applied to what was printed; so is the container's."""


class Container(NamedTuple):
    """The training container of each pod."""

    container_name: str
    image: str
    image_pull_policy: str
    command: list[str]
    workdir: str
    env: list[Block]
    env_from: list[Block]
    resources: Block
    container_security: Block
    mounts: list[Block]
    container_patch: Block


class View(NamedTuple):
    """A job on a cluster. Empty text, an empty list or mapping, 0 and False mean: leave it out."""

    objects: Objects
    pod: Pod
    container: Container

    def names(self) -> dict[str, Any]:
        """Every field under its own name, as templates read it."""
        return {**self.objects._asdict(), **self.pod._asdict(), **self.container._asdict()}
