"""Where each kind of object keeps its pod templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rallypoint.checks.finding import Fault, Object, title


class PodTemplate(NamedTuple):
    """A pod template of one object, and how many pods come of it."""

    where: str
    """The object, as in `Job/mrpc`."""
    path: str
    """Dotted path of the template."""
    template: dict[str, Any]
    """The template itself, not a copy."""
    replicas: int

    @property
    def spec(self) -> dict[str, Any]:
        """The pod's spec."""
        return mapping(self.template, "spec")

    @property
    def labels(self) -> dict[str, Any]:
        """The pod's labels."""
        return mapping(self.template, "metadata", "labels")

    @property
    def containers(self) -> list[tuple[str, dict[str, Any]]]:
        """The containers with their paths, without init containers."""
        return self._listed("containers")

    @property
    def all_containers(self) -> list[tuple[str, dict[str, Any]]]:
        """Containers and init containers with their paths."""
        return [*self.containers, *self._listed("initContainers")]

    def _listed(self, key: str) -> list[tuple[str, dict[str, Any]]]:
        found = enumerate(sequence(self.spec, key))
        return [(f"{self.path}.spec.{key}[{i}]", item) for i, item in found if isinstance(item, dict)]

    def fault(self, path: str, text: str) -> Fault:
        """A fault below the template; `path` may be whole, or relative to the pod's spec."""
        whole = path if path.startswith(self.path) else f"{self.path}.spec.{path}"
        return Fault(self.where, whole, text)


def mapping(value: Any, *keys: str) -> dict[str, Any]:
    """The mapping below `keys`; empty where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def sequence(value: Any, key: str) -> list[Any]:
    """The list at `key`; empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def pod_templates(item: Object) -> list[PodTemplate]:
    """Every pod template of `item`; none for an object without pods."""
    return [
        PodTemplate(title(item), path, template, replicas)
        for path, template, replicas in _templates(item)
        if isinstance(template, dict)
    ]


def all_pods(objects: Sequence[Object]) -> list[PodTemplate]:
    """Every pod template of every object."""
    return [pod for item in objects for pod in pod_templates(item)]


def of_kind(objects: Sequence[Object], *kinds: str) -> list[Object]:
    """The objects of these kinds."""
    return [item for item in objects if item.get("kind") in kinds]


def job_specs(item: Object) -> list[tuple[str, dict[str, Any]]]:
    """The Job specs in `item` with their paths: its own, or those of a JobSet or training runtime."""
    if item.get("kind") == "Job":
        return [("spec", mapping(item, "spec"))]
    path, spec = jobset_spec(item)
    return [
        (f"{path}.replicatedJobs[{number}].template.spec", mapping(job, "template", "spec"))
        for number, job in enumerate(sequence(spec, "replicatedJobs"))
    ]


def jobset_spec(item: Object) -> tuple[str, dict[str, Any]]:
    """The JobSet spec in `item` with its path; empty for other kinds."""
    if item.get("kind") == "JobSet":
        return "spec", mapping(item, "spec")
    if item.get("kind") in ("TrainingRuntime", "ClusterTrainingRuntime"):
        return "spec.template.spec", mapping(item, "spec", "template", "spec")
    return "", {}


def _templates(item: Object) -> Iterator[tuple[str, Any, int]]:
    if item.get("kind") == "StatefulSet":
        yield "spec.template", mapping(item, "spec").get("template"), mapping(item, "spec").get("replicas", 1)
    for path, spec in job_specs(item):
        yield f"{path}.template", spec.get("template"), spec.get("completions", 1)
    for role, replica in mapping(item, "spec", "pytorchReplicaSpecs").items():
        if isinstance(replica, dict):
            path = f"spec.pytorchReplicaSpecs.{role}.template"
            yield path, replica.get("template"), replica.get("replicas", 1)
