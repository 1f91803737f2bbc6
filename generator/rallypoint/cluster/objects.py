"""Sending a job's objects: first as a rehearsal, then in render's order, each by server-side apply."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import Refusal
from rallypoint.cluster.resource import INSTALL, Resource, resource_of
from rallypoint.errors import InputError

Object = dict[str, Any]
RUNTIME_SECONDS, AGAIN_SECONDS = 10.0, 0.25
"""Trainer's and Kueue's webhooks look for a TrainJob's runtime in caches, which learn of it with a delay."""
ENFORCE = "pod-security.kubernetes.io/enforce"
_FIXED_TEMPLATE = {"Job", "JobSet"}
"""Kinds whose API server refuses any change of the pod template, its labels too."""


class Sent(NamedTuple):
    """What came of one object."""

    name: str
    """`job.batch/mrpc`."""
    result: Literal["created", "configured", "unchanged", "checked"]


def fitted(item: Object, living: Object | None) -> tuple[Object, list[str]]:
    """The object as it is sent, and what of it was left as it lives.

    Labels and annotations of the pods stay where no change is allowed; a StatefulSet at 0 stays there.
    """
    if living is None:
        return item, []
    sent, notices = copy.deepcopy(item), []
    if item["kind"] == "ConfigMap" and living.get("data") != item["data"]:
        sent["data"] = living["data"]  # it means the same in another layout, and is immutable
    if item["kind"] in _FIXED_TEMPLATE:
        for new, old in zip(_templates(sent), _templates(living), strict=False):
            if _relabelled(new, old):
                notices.append(
                    "labels and annotations of the pods stay as they are: a living job's cannot change"
                )
            new["metadata"] = _kept(new["metadata"], old.get("metadata") or {})
    if item["kind"] == "StatefulSet" and living["spec"].get("replicas") == 0:
        sent["spec"]["replicas"] = 0
    return sent, notices


def _templates(item: Object) -> list[Object]:
    """The pod templates of a Job or JobSet."""
    if item["kind"] == "Job":
        return [item["spec"]["template"]]
    return [one["template"]["spec"]["template"] for one in item["spec"].get("replicatedJobs") or []]


def _relabelled(new: Object, old: Object) -> bool:
    """Whether the new template names labels or annotations that the living one has otherwise."""
    living = old.get("metadata") or {}
    return any(
        (living.get(part) or {}).get(key) != value
        for part, fields in new["metadata"].items()
        for key, value in fields.items()
    )


def _kept(new: Object, old: Object) -> Object:
    """The living labels and annotations, as far as a job's own; controllers add some of theirs."""
    theirs = ("batch.kubernetes.io/", "controller-uid", "job-name", "jobset.sigs.k8s.io/", "kueue.x-k8s.io/")
    return {
        part: {key: value for key, value in (old.get(part) or {}).items() if not key.startswith(theirs)}
        for part in new
    }


def rehearse(cluster: Cluster, objects: list[Object], namespace: str, force: bool) -> list[str]:
    """What admission has to say of the objects; nothing is changed.

    A TrainJob is left out: its operator refuses one whose runtime is not there yet.
    Raises: RallypointError for the first object that the cluster refuses; InputError when the namespace's
    Pod Security level would keep the pods out, which the API server itself only warns of.
    """
    warnings: list[str] = []
    for item in objects:
        if item["kind"] != "TrainJob":
            warnings += cluster.apply(resource_of(item), item, namespace, dry_run=True, force=force).warnings
    level = cluster.namespace_labels(namespace).get(ENFORCE, "")
    for warning in warnings:
        if level and f'would violate PodSecurity "{level}:' in warning:
            raise InputError(
                f"namespace {namespace!r}: its Pod Security level keeps these pods out ({warning}); "
                "leave out what needs more, or ask for another namespace"
            )
    return warnings


def send(
    cluster: Cluster, objects: list[Object], living: dict[tuple[str, str], Object], namespace: str, *,
    force: bool, told: Callable[[Sent], None],
) -> list[Sent]:  # fmt: skip
    """What came of each object, in order; `told` gets it as it happens."""
    results = []
    for item in objects:
        resource, name = resource_of(item), item["metadata"]["name"]
        before = living.get((resource.kind, name))
        after = _applied(cluster, resource, item, namespace, force)
        one = Sent(resource.named(name), _result(before, after))
        results.append(one)
        told(one)
    return results


def _applied(cluster: Cluster, resource: Resource, item: Object, namespace: str, force: bool) -> Object:
    """The object as it lives now; a TrainJob is sent again until its operator has heard of its runtime."""
    until = time.monotonic() + RUNTIME_SECONDS
    while True:
        try:
            return cluster.apply(resource, item, namespace, force=force).document
        except Refusal as error:
            unheard = item["kind"] == "TrainJob" and re.search("[Rr]untime.* not found", str(error))
            if not unheard or time.monotonic() > until:
                raise
            time.sleep(AGAIN_SECONDS)


def _result(before: Object | None, after: Object) -> Literal["created", "configured", "unchanged"]:
    if before is None or before["metadata"]["uid"] != after["metadata"]["uid"]:
        return "created"
    same = before["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"]
    return "unchanged" if same or _content(before) == _content(after) else "configured"


def _content(item: Object) -> Object:
    """What a person would call the object: status and book-keeping change by themselves."""
    metadata = {key: item["metadata"].get(key) for key in ("labels", "annotations")}
    return {**{key: value for key, value in item.items() if key != "status"}, "metadata": metadata}


def living_objects(cluster: Cluster, objects: list[Object], namespace: str) -> dict[tuple[str, str], Object]:
    """What lives under the names of the objects, by kind and name."""
    found: dict[tuple[str, str], Object] = {}
    for item in objects:
        resource, name = resource_of(item), item["metadata"]["name"]
        living = cluster.get(resource, name, namespace)
        if living is not None:
            found[resource.kind, name] = living
    return found


def unknown_kinds(cluster: Cluster, objects: list[Object]) -> list[Resource]:
    """The kinds that this cluster does not know; a custom resource has to be installed."""
    wanted = dict.fromkeys(resource_of(item) for item in objects)
    return [resource for resource in wanted if resource.group in INSTALL and not cluster.knows(resource)]
