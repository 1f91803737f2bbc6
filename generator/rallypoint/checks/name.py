"""Rules on names: each object's own, and the longest name that a controller derives from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rallypoint.checks.finding import Fault, Object, name_of, title
from rallypoint.checks.pod_template import jobset_spec, mapping, of_kind, sequence

_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_PORT_NAME = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?")
LONGEST = 63
"""Letters of a DNS label, and of a label's value."""


def names_are_valid(objects: Sequence[Object]) -> Iterator[Fault]:
    """A Service's and a PyTorchJob's name starts with a letter; the others' may be longer and have dots."""
    for item in objects:
        name = name_of(item)
        strict = item.get("kind") in ("Service", "PyTorchJob", "TrainJob", "JobSet")
        pattern, longest = (_SERVICE_NAME, LONGEST) if strict else (_OBJECT_NAME, 253)
        if not pattern.fullmatch(name) or len(name) > longest:
            text = f"is no valid name for a {item.get('kind')} (got {name!r})"
            yield Fault(title(item), "metadata.name", f"{text}; use at most {longest} of a-z, 0-9 and '-'")


def derived_names_fit(objects: Sequence[Object]) -> Iterator[Fault]:
    """Controllers build names of pods, Services and labels from the object's; too long, no pod appears."""
    for item in objects:
        for derived in _derived(item, objects):
            if len(derived) > LONGEST:
                text = f"makes {derived!r} of {len(derived)} letters, {LONGEST} are allowed"
                yield Fault(title(item), "metadata.name", f"{text}; shorten the name")


def _derived(item: Object, objects: Sequence[Object]) -> list[str]:
    """The longest names that the object's controller makes of its own; an x for each random letter."""
    name, spec = name_of(item), mapping(item, "spec")
    match item.get("kind"):
        case "StatefulSet":
            return [f"{name}-{'x' * 10}", f"{name}-{_last(spec, 'replicas')}"]
        case "Job":
            return [f"{name}-{_last(spec, 'completions')}"]
        case "PyTorchJob":
            roles = mapping(spec, "pytorchReplicaSpecs").items()
            return [f"{name}-{role.lower()}-{_last(replica, 'replicas')}" for role, replica in roles]
        case "JobSet":
            return _jobset_pods(name, spec)
        case "TrainJob":
            reference = mapping(spec, "runtimeRef")
            return [
                pod
                for runtime in of_kind(objects, str(reference.get("kind", "ClusterTrainingRuntime")))
                if name_of(runtime) == reference.get("name")
                for pod in _jobset_pods(name, jobset_spec(runtime)[1])
            ]
    return []


def _jobset_pods(name: str, spec: dict[str, Any]) -> list[str]:
    return [
        f"{name}-{job.get('name')}-{_last(job, 'replicas')}"
        f"-{_last(mapping(job, 'template', 'spec'), 'completions')}-xxxxx"
        for job in sequence(spec, "replicatedJobs")
    ]


def _last(spec: Any, key: str) -> int:
    """The last index of a count that is 1 where it is left out."""
    count = spec.get(key, 1) if isinstance(spec, dict) else 1
    return max(0, count - 1) if isinstance(count, int) else 0


def port_names_are_valid(objects: Sequence[Object]) -> Iterator[Fault]:
    """Of a Service: a DNS label; the API server refuses others, and of several ports each needs a name."""
    for item in of_kind(objects, "Service"):
        ports = sequence(mapping(item, "spec"), "ports")
        for number, port in enumerate(ports):
            name = port.get("name")
            if (name is None and len(ports) > 1) or (
                name is not None and not _PORT_NAME.fullmatch(str(name))
            ):
                text = f"is no valid port name (got {name!r}); use at most 15 of a-z, 0-9 and '-'"
                yield Fault(title(item), f"spec.ports[{number}].name", text)


def all_objects_share_a_namespace(objects: Sequence[Object]) -> Iterator[Fault]:
    """A pod finds neither ConfigMap nor claim of another namespace."""
    found = {mapping(item, "metadata").get("namespace") for item in objects}
    if len(found) > 1:
        text = f"the objects lie in different namespaces ({', '.join(sorted(map(str, found)))})"
        yield Fault(title(objects[0]), "metadata.namespace", f"{text}; use one")
