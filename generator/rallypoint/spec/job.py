"""The job: one validated description of a distributed training run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from rallypoint.spec.base import (
    Duration,
    Label,
    LabelValue,
    Model,
    Name,
    ObjectName,
    Patch,
    QualifiedName,
    Text,
    Verbatim,
    matching,
)  # fmt: skip
from rallypoint.spec.env import EnvFrom, EnvName, EnvValue
from rallypoint.spec.placement import Network, Rendezvous, Scheduling, Security
from rallypoint.spec.resources import Resources
from rallypoint.spec.script import ScriptSpec
from rallypoint.spec.storage import Storage, Volume
from rallypoint.spec.train import TrainSpec

KindName = Literal["job", "statefulset", "pytorchjob", "jobset", "trainjob"]
KINDS: dict[KindName, str] = {
    "job": "Job",
    "statefulset": "StatefulSet",
    "pytorchjob": "PyTorchJob",
    "jobset": "JobSet",
    "trainjob": "TrainJob",
}
"""Our word for each kind, and Kubernetes' own spelling."""

Kind = Annotated[
    KindName,
    BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value),
    WithJsonSchema({"type": "string", "enum": [*KINDS, *KINDS.values()]}),
]


IMAGE = r"[A-Za-z0-9][-A-Za-z0-9._/:@]*"
Image = Annotated[
    str,
    matching(IMAGE, "must be an image such as ghcr.io/acme/trainer:1.0", 1000),
    WithJsonSchema({"type": "string", "pattern": f"^{IMAGE}$", "maxLength": 1000}),
]


class Job(Model):
    """One distributed training run: the same on this machine and on every kind of cluster."""

    name: Name
    """The job's name; every object's name derives from it."""
    kind: Kind = "job"
    """The Kubernetes shape: job, statefulset, pytorchjob, jobset or trainjob, in any letter case."""
    namespace: Label | None = None
    """Where the objects go. Left out: the current namespace."""
    labels: dict[QualifiedName, LabelValue] = {}
    """Labels of every object and pod."""
    annotations: dict[QualifiedName, Text] = {}
    """Annotations of every object and pod."""
    image: Image | None = None
    """The container image; needs torch, for `train` also rallypoint[trainer]. Not needed for `run`."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When to pull the image. Left out: Kubernetes' rule (Always for :latest)."""
    image_pull_secrets: list[ObjectName] = []
    """Secrets of private registries."""
    service_account: ObjectName | None = None
    """ServiceAccount of the pods."""
    nodes: int = Field(1, ge=1, le=10000)
    """How many pods train together, each with one launcher."""
    nproc_per_node: int | None = Field(None, ge=1, le=256)
    """Training processes of each node. Left out: one per GPU, or 1."""
    resources: Resources = Resources()
    """What every pod asks for."""
    train: TrainSpec | None = None
    """A run of the built-in trainer. Exactly one of train and script."""
    script: ScriptSpec | None = None
    """A program of your own. Exactly one of train and script."""
    output: Storage | None = None
    """Where results go, shared by all nodes. Locally ./output/<name>; a script needs the key."""
    cache: Storage | None = None
    """Where downloads from the hub are kept between runs."""
    volumes: list[Volume] = []
    """More folders in every pod."""
    env: dict[EnvName, EnvValue] = {}
    """Environment variables: text, {secret, key}, {config_map, key} or {field}."""
    env_from: list[EnvFrom] = []
    """All keys of Secrets or ConfigMaps as environment variables."""
    rendezvous: Rendezvous = Rendezvous()
    """How the nodes find each other."""
    max_restarts: int = Field(3, ge=0, le=1000)
    """How often the program itself may fail and start again; lost pods do not count."""
    grace_period: Duration = "2m"
    """Time between SIGTERM and SIGKILL of a pod: long enough to save a checkpoint."""
    deadline: Duration | None = None
    """The job is ended after this time."""
    ttl: Duration | None = None
    """The finished job is deleted after this time."""
    suspend: bool = False
    """Create the job without starting it."""
    scheduling: Scheduling = Scheduling()
    """Which machines, in which queue."""
    network: Network = Network()
    """How the pods are connected."""
    security: Security = Security()
    """The pods' rights."""
    debug: bool = False
    """Debug output of torch.distributed and NCCL, and the flight recorder."""
    sidecars: list[Verbatim] = []
    """More containers of each pod, spelled as Kubernetes does."""
    init_containers: list[Verbatim] = []
    """Containers that run before, spelled as Kubernetes does."""
    pod_patch: Patch = {}
    """A merge patch on the pod's spec, for what the spec cannot say."""
    container_patch: Patch = {}
    """A merge patch on the training container."""

    @property
    def nproc(self) -> int:
        """Training processes of each node: nproc_per_node, else one per GPU, else 1."""
        return self.nproc_per_node or self.resources.gpus or 1

    @property
    def world_size(self) -> int:
        """Training processes of the whole job: nodes * nproc."""
        return self.nodes * self.nproc
