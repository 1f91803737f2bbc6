"""Rules on pods: labels, restart policy, host network, fields of the downward API."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rallypoint.checks.finding import Fault, Object, title
from rallypoint.checks.pod_template import PodTemplate, all_pods, job_specs, mapping, of_kind, sequence

_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_KEY = re.compile(r"([-a-z0-9.]{1,253}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_FIELD = re.compile(
    r"metadata\.(name|namespace|uid|labels|annotations)|metadata\.(labels|annotations)\['[^']+'\]"
    r"|spec\.(nodeName|serviceAccountName)|status\.(hostIP|hostIPs|podIP|podIPs)"
)
"""What the downward API knows. Source: Kubernetes docs 1.34, "Downward API"."""


def labels_are_valid(objects: Sequence[Object]) -> Iterator[Fault]:
    """Of objects and pod templates: text of at most 63 letters, digits, '-', '_' and '.'."""
    labelled = [(title(item), "metadata.labels", mapping(item, "metadata", "labels")) for item in objects]
    labelled += [(pod.where, f"{pod.path}.metadata.labels", pod.labels) for pod in all_pods(objects)]
    for where, path, labels in labelled:
        for key, value in labels.items():
            if not _KEY.fullmatch(str(key)) or not isinstance(value, str) or not _VALUE.fullmatch(value):
                yield Fault(where, f"{path}.{key}", f"is no valid label (got {value!r}); change it")


def annotations_are_text(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses a number or boolean there."""
    noted = [
        (title(item), "metadata.annotations", mapping(item, "metadata", "annotations")) for item in objects
    ]
    noted += [
        (pod.where, f"{pod.path}.metadata.annotations", mapping(pod.template, "metadata", "annotations"))
        for pod in all_pods(objects)
    ]
    for where, path, entries in noted:
        for key, value in entries.items():
            if not isinstance(value, str):
                yield Fault(where, f"{path}.{key}", f"must be text (got {value!r}); quote it")


def restart_policy_fits_the_kind(objects: Sequence[Object]) -> Iterator[Fault]:
    """A Job's pods may not restart for ever, a StatefulSet's must; exit codes are read only with Never."""
    for item in of_kind(objects, "StatefulSet"):
        policy = mapping(item, "spec", "template", "spec").get("restartPolicy", "Always")
        if policy != "Always":
            text = f"must be Always in a StatefulSet (got {policy!r}); leave it out"
            yield Fault(title(item), "spec.template.spec.restartPolicy", text)
    for item in objects:
        for path, spec in job_specs(item):
            policy = mapping(spec, "template", "spec").get("restartPolicy")
            allowed = ["Never"] if "podFailurePolicy" in spec else ["Never", "OnFailure"]
            if policy not in allowed:
                text = f"must be {' or '.join(allowed)} (got {policy!r}); change it"
                yield Fault(title(item), f"{path}.template.spec.restartPolicy", text)


def host_network_looks_up_cluster_names(objects: Sequence[Object]) -> Iterator[Fault]:
    """With the machine's own name server the endpoint's name is unknown."""
    for pod in all_pods(objects):
        policy = pod.spec.get("dnsPolicy", "ClusterFirst")
        if pod.spec.get("hostNetwork") is True and policy not in ("ClusterFirstWithHostNet", "None"):
            text = f"must be ClusterFirstWithHostNet with hostNetwork (got {policy!r})"
            yield pod.fault("dnsPolicy", f"{text}; else no Service's name can be found")


def field_references_exist(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses a field that the downward API does not know."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            for number, entry in enumerate(sequence(container, "env")):
                field = mapping(entry, "valueFrom", "fieldRef").get("fieldPath")
                if field is not None and not _FIELD.fullmatch(str(field)):
                    text = (
                        f"{field!r} is no field of a pod that a variable can have; use status.podIP or alike"
                    )
                    yield pod.fault(f"{path}.env[{number}].valueFrom.fieldRef.fieldPath", text)


def mounted_keys_exist(objects: Sequence[Object]) -> Iterator[Fault]:
    """A pod waits for ever for a key that its ConfigMap lacks; a ConfigMap from elsewhere is not known."""
    maps = {str(mapping(item, "metadata").get("name")): item for item in of_kind(objects, "ConfigMap")}
    for pod in all_pods(objects):
        for number, volume in enumerate(sequence(pod.spec, "volumes")):
            source = mapping(volume, "configMap")
            if source.get("name") in maps and source.get("optional") is not True:
                yield from _missing_keys(pod, number, source, maps[source["name"]])


def _missing_keys(pod: PodTemplate, number: int, source: dict[str, Any], item: Object) -> Iterator[Fault]:
    known = {**mapping(item, "data"), **mapping(item, "binaryData")}
    for entry in sequence(source, "items"):
        if entry.get("key") not in known:
            text = f"ConfigMap {source['name']!r} has no key {entry.get('key')!r}; correct the key"
            yield pod.fault(f"volumes[{number}].configMap.items", text)
