"""Deleting a job: its workload first, then what the workload needs; what holds data stays unless asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import FORBIDDEN, Refusal
from rallypoint.cluster.resource import CLAIM, CONFIG_MAP, POD, POLICY, RUNTIME, SERVICE, WORKLOADS, Resource
from rallypoint.errors import InputError, RallypointError
from rallypoint.topology import OWNER_LABEL

Object = dict[str, Any]
ORDER: tuple[Resource, ...] = (*WORKLOADS.values(), RUNTIME, POLICY, SERVICE, CONFIG_MAP)
"""A TrainJob before its runtime, whose finalizer would hang; pods before the network they save through."""
LOOK_SECONDS = 0.5
HELM = "meta.helm.sh/release-name"


class Found(NamedTuple):
    """One object of a job."""

    resource: Resource
    name: str
    uid: str = ""
    """Another object of the same name has another one."""

    def __str__(self) -> str:
        return self.resource.named(self.name)


class Remains(NamedTuple):
    """What a job consists of."""

    objects: list[Found]
    """In the order in which they are to be deleted."""
    claims: list[Found]
    """What holds data."""


def remains(cluster: Cluster, namespace: str, name: str) -> Remains:
    """Everything of the job in the namespace, by its owner label.

    Raises: InputError when helm put it there.
    """
    objects = [
        _found(resource, item) for resource in ORDER for item in own(cluster, resource, namespace, name)
    ]
    claims = [_found(CLAIM, item) for item in own(cluster, CLAIM, namespace, name)]
    return Remains(objects, claims)


def _found(resource: Resource, item: Object) -> Found:
    return Found(resource, item["metadata"]["name"], _uid(item))


def _uid(item: Object) -> str:
    return str(item["metadata"].get("uid", ""))


def own(cluster: Cluster, resource: Resource, namespace: str, name: str) -> list[Object]:
    """The job's objects of one kind; those that belong to another object go with it."""
    try:
        items = cluster.list(resource, namespace, labelSelector=f"{OWNER_LABEL}={name}")
    except Refusal as error:
        if error.status != FORBIDDEN or resource not in (*WORKLOADS.values(), RUNTIME):
            raise
        return []  # a kind that this user has nothing to do with
    items = [item for item in items if not item["metadata"].get("ownerReferences")]
    for item in items:
        release = (item["metadata"].get("annotations") or {}).get(HELM)
        if release:
            raise InputError(
                f"{resource.named(item['metadata']['name'])}: belongs to the helm release {release!r}; "
                f"use 'helm uninstall {release} --namespace {namespace}'"
            )
    return items


def delete_objects(
    cluster: Cluster,
    namespace: str,
    name: str,
    found: list[Found],
    *,
    seconds: float,
    told: Callable[[Found], None],
) -> None:
    """Deletes them one after the other and returns when they and the job's pods are gone.

    What somebody makes meanwhile under the same names is not waited for.
    Raises: RallypointError when something is still there after so many seconds.
    """
    until = time.monotonic() + seconds
    workloads = set(WORKLOADS.values())
    pods: set[str] = set()
    for position, one in enumerate(found):
        if one.resource in workloads:
            pods |= {_uid(item) for item in _pods(cluster, namespace, name)}
        if not _replaced(cluster, namespace, one):
            cluster.delete(one.resource, one.name, namespace)
        _gone(cluster, namespace, one, until)
        told(one)
        last = all(other.resource not in workloads for other in found[position + 1 :])
        if one.resource in workloads and last:
            wait_for_pods(cluster, namespace, name, until, only=pods)


def _replaced(cluster: Cluster, namespace: str, one: Found) -> bool:
    """Whether the object is gone and another one has its name."""
    item = cluster.get(one.resource, one.name, namespace)
    return item is not None and _uid(item) != one.uid


def _gone(cluster: Cluster, namespace: str, one: Found, until: float) -> None:
    while (item := cluster.get(one.resource, one.name, namespace)) is not None and _uid(item) == one.uid:
        if time.monotonic() > until:
            raise RallypointError(
                f"{one}: is still being deleted; its pods have their grace period to save, so wait longer "
                "with --timeout, or look at its finalizers"
            )
        time.sleep(LOOK_SECONDS)


def wait_for_pods(
    cluster: Cluster,
    namespace: str,
    name: str,
    until: float,
    told: Callable[[str], None] = lambda text: None,
    *,
    only: set[str] | None = None,
) -> None:
    """Returns when no pod of the job is left; `told` once that there are some.

    With `only`, those of these uids and those that end are waited for, not the pods of a newer run.
    Raises: RallypointError when some are still there at `until`, on time.monotonic's clock.
    """
    silent = True
    while left := [item for item in _pods(cluster, namespace, name) if only is None or _ends(item, only)]:
        names = ", ".join(item["metadata"]["name"] for item in left)
        if time.monotonic() > until:
            raise RallypointError(
                f"{name}: pods are still ending ({names}); wait longer (delete has --timeout), "
                "or look at why they stay"
            )
        if silent:
            told(f"waiting for the pods of an earlier run to end ({names})")
            silent = False
        time.sleep(LOOK_SECONDS)


def _pods(cluster: Cluster, namespace: str, name: str) -> list[Object]:
    return cluster.list(POD, namespace, labelSelector=f"{OWNER_LABEL}={name}")


def _ends(pod: Object, uids: set[str]) -> bool:
    return _uid(pod) in uids or "deletionTimestamp" in pod["metadata"]
