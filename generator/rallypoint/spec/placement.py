"""`scheduling`, `network`, `security` and `rendezvous`: where the pods run and what they may do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from rallypoint.spec.base import (
    LABEL_VALUE,
    Duration,
    Label,
    LabelValue,
    Model,
    ObjectName,
    QualifiedName,
    Text,
    Verbatim,
    matching,
    number_as_text,
)


class Rendezvous(Model):
    """How the nodes find each other."""

    agent: Literal["rallypoint", "torchrun"] = "rallypoint"
    """`rallypoint` re-forms in place when a node is lost; `torchrun` is torch's own elastic agent on c10d."""
    port: int = Field(29400, ge=1024, le=65535)
    """Port of the endpoint on node 0; 29400 is torchrun's default."""
    timeout: Duration = "15m"
    """How long nodes wait for one that is missing, at the start and after each loss."""


QueueName = Annotated[
    str,
    BeforeValidator(number_as_text),
    matching(
        LABEL_VALUE,
        "must be 1 to 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit",
        63,
    ),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]


class Scheduling(Model):
    """Which machines, in which queue."""

    queue: QueueName | None = None
    """Kueue's LocalQueue."""
    queue_priority: QueueName | None = None
    """Kueue's WorkloadPriorityClass."""
    priority_class: ObjectName | None = None
    """PriorityClass of the pods."""
    scheduler_name: Label | None = None
    """Another scheduler than the cluster's default."""
    node_selector: dict[QualifiedName, LabelValue] = {}
    """Labels that a machine must have."""
    tolerations: list[Verbatim] = []
    """Taints that the pods tolerate, spelled as Kubernetes does."""
    affinity: Verbatim = {}
    """Affinity, spelled as Kubernetes does."""
    spread: QualifiedName | None = None
    """Prefer pods on different values of this machine label, as kubernetes.io/hostname."""


class Rdma(Model):
    """RDMA devices: the device, the IPC_LOCK capability and NCCL's switch in one."""

    resource: QualifiedName
    """The device plugin's name, as rdma/hca."""
    count: int = Field(1, ge=1)
    """Devices of each node."""


class Network(Model):
    """How the pods are connected."""

    host_network: bool = False
    """Use the machine's network; needs the Pod Security level `privileged`."""
    interface: (
        Annotated[str, matching(r"[A-Za-z0-9_.@-]{1,15}", "must be one network interface, such as eth0")]
        | None
    ) = None
    """The one interface for NCCL and gloo, as eth0."""
    rdma: Rdma | None = None
    """RDMA devices; needs the Pod Security level `privileged`."""
    annotations: dict[QualifiedName, Text] = {}
    """Annotations of the pods alone, as k8s.v1.cni.cncf.io/networks for more interfaces."""
    policy: bool = True
    """A NetworkPolicy that lets only pods of this job connect to its pods, on every port."""


class Security(Model):
    """The pods' rights: Pod Security level `restricted` unless you say otherwise."""

    user: int | None = Field(1000, ge=0, le=2147483647)
    """User id of the processes. null: the platform assigns one."""
    fs_group: int | None = Field(None, ge=0, le=2147483647)
    """Group that volumes are made writable for. Left out: the same number as user."""
    read_only_root: bool = True
    """Mount the image read-only; caches and /tmp lie on a writable volume of their own."""
    privileged: bool = False
    """Full rights on the machine; needs the Pod Security level `privileged`."""
    capabilities: list[
        Annotated[str, matching(r"[A-Z_]+", "must be a Linux capability such as SYS_PTRACE")]
    ] = []
    """Linux capabilities to add, as SYS_PTRACE; needs a Pod Security level below `restricted`."""
    service_account_token: bool = False
    """Mount a token for the Kubernetes API."""
