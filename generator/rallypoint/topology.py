"""Names and addresses of a job's parts.

Rank order is node order: node 0 is the one behind the endpoint's Service on every kind.
"""

from __future__ import annotations

from rallypoint.spec import Job, KindName

OWNER_LABEL = "rallypoint.dev/job"
"""Carried by every object and pod of a job: one selector finds all. Not managed-by, which helm overwrites."""

CONTAINER_NAMES: dict[KindName, str] = {
    "job": "trainer",
    "jobset": "trainer",
    "trainjob": "node",
    "pytorchjob": "pytorch",
    "statefulset": "trainer",
}
"""The training container. Two operators insist on a name of their own.

Source: training-operator 1.9, pytorchjob webhook; Trainer 2.2, constants.Node.
"""

NODE_INDEX_LABELS: dict[KindName, str] = {
    "job": "batch.kubernetes.io/job-completion-index",
    "jobset": "batch.kubernetes.io/job-completion-index",
    "trainjob": "batch.kubernetes.io/job-completion-index",
    "pytorchjob": "training.kubeflow.org/replica-index",
    "statefulset": "apps.kubernetes.io/pod-index",
}
"""The pod label that holds the node index.

Source: Kubernetes docs 1.34, "Well-Known Labels"; training-operator 1.9, apis/kubeflow.org/v1.
"""

ENDPOINT_PORT_NAMES: dict[KindName, str] = {
    "job": "rendezvous",
    "jobset": "rendezvous",
    "trainjob": "rendezvous",
    "pytorchjob": "pytorchjob-port",
    "statefulset": "rendezvous",
}
"""The endpoint's port; the training operator adds one of its own (23456) unless it finds its name."""

NODE_INDEX_ENV = "RALLYPOINT_NODE_INDEX"
"""The one variable that differs between the pods of a job."""


def config_map_name(job: Job) -> str:
    """`<name>-config`: the contract, for people and for `apply`; immutable, which refuses another run."""
    return f"{job.name}-config"


def files_map_name(job: Job, digest: str) -> str:
    """`<name>-files-<digest>`: what the pods read, the contract, the launcher and the scripts.

    Another run has another name, because a kubelet reads an immutable ConfigMap once and gives that to every
    new pod, as long as one pod on its machine still uses the name, be it one of a run that was deleted.
    Source: Kubernetes docs 1.34, "Immutable ConfigMaps"; kubernetes 1.34, kubelet/util/manager.
    """
    return f"{job.name}-files-{digest}"


def endpoint_name(job: Job) -> str:
    """`<name>-rdzv`: the headless Service that selects node 0 alone; also MASTER_ADDR."""
    return f"{job.name}-rdzv"


def rendezvous_endpoint(job: Job) -> str:
    """`<name>-rdzv:<port>`, where every node meets.

    Resolves before node 0 is Ready only because the Service publishes not-ready addresses.
    Source: Kubernetes docs 1.34, Services, "Headless Services".
    """
    return f"{endpoint_name(job)}:{job.rendezvous.port}"


def endpoint_host(endpoint: str) -> tuple[str, int]:
    """Host and port of `<host>:<port>`."""
    host, _, port = endpoint.rpartition(":")
    return host, int(port)
