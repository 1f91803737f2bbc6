"""The kinds of objects that a job consists of, and where the API server keeps them."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote

from rallypoint.spec import KindName


class Resource(NamedTuple):
    """One kind of object."""

    group: str
    """Empty for Kubernetes' core."""
    version: str
    plural: str
    kind: str

    @property
    def api(self) -> str:
        """`batch/v1`, as in an object's apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        """`/apis/batch/v1`."""
        return f"/apis/{self.api}" if self.group else f"/api/{self.version}"

    @property
    def full(self) -> str:
        """`jobs.batch`, as kubectl and RBAC name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str | None, name: str = "", sub: str = "") -> str:
        """Where one object, or all of a namespace (None: of all namespaces), can be read."""
        parts = [self.root, *([f"namespaces/{quote(namespace)}"] if namespace else []), self.plural]
        return "/".join([*parts, *([quote(name)] if name else []), *([sub] if sub else [])])

    def named(self, name: str) -> str:
        """`job.batch/mrpc`, as kubectl prints it."""
        return f"{self.kind.lower()}{'.' + self.group if self.group else ''}/{name}"


CONFIG_MAP = Resource("", "v1", "configmaps", "ConfigMap")
CLAIM = Resource("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
SERVICE = Resource("", "v1", "services", "Service")
POLICY = Resource("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy")
NAMESPACE = Resource("", "v1", "namespaces", "Namespace")
POD = Resource("", "v1", "pods", "Pod")
EVENT = Resource("", "v1", "events", "Event")
RUNTIME = Resource("trainer.kubeflow.org", "v1alpha1", "trainingruntimes", "TrainingRuntime")
QUEUED = Resource("kueue.x-k8s.io", "v1beta1", "workloads", "Workload")

WORKLOADS: dict[KindName, Resource] = {
    "job": Resource("batch", "v1", "jobs", "Job"),
    "statefulset": Resource("apps", "v1", "statefulsets", "StatefulSet"),
    "pytorchjob": Resource("kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"),
    "jobset": Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"),
    "trainjob": Resource("trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob"),
}
"""What runs a job of each kind."""

_ALL = (CONFIG_MAP, CLAIM, SERVICE, POLICY, POD, EVENT, RUNTIME, QUEUED, *WORKLOADS.values())

INSTALL: dict[str, str] = {
    "kubeflow.org": "Kubeflow's training operator (seen with 1.9)",
    "jobset.x-k8s.io": "JobSet (seen with 0.11)",
    "trainer.kubeflow.org": "Kubeflow Trainer (seen with 2.2) and JobSet",
    "kueue.x-k8s.io": "Kueue (seen with 0.17)",
}
"""What brings the kinds of an API group into a cluster."""


def resource_of(item: dict[str, Any]) -> Resource:
    """The resource of a rendered object."""
    (found,) = [one for one in _ALL if (one.api, one.kind) == (item["apiVersion"], item["kind"])]
    return found
