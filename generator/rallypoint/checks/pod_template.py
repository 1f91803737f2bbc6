"""Where each kind of object keeps its pod templates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from rallypoint.checks.finding import Object, title


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
    def containers(self) -> list[dict[str, Any]]:
        """The containers, without init containers."""
        return sequence(self.spec, "containers")


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
