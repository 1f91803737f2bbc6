"""The namespace that the jobs share: level `restricted`, and a claim that all its pods may write."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cluster.kubectl import kubectl_or_fail
from .run import CLAIM

SIZE = {"storage": "1Gi"}


@dataclass(frozen=True)
class Space:
    namespace: str
    folder: Path
    """What the claim holds, on this machine."""


def make_space(space: Space) -> None:
    """Creates the namespace, the volume (a folder of the node) and the claim."""
    space.folder.mkdir()
    space.folder.chmod(0o777)  # the pods' user is not ours, and a hostPath ignores fsGroup
    level = {
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn": "restricted",
    }
    claimed = {"namespace": space.namespace, "name": CLAIM}
    common = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    volume = {"capacity": SIZE, "hostPath": {"path": str(space.folder)}, "claimRef": claimed, **common}
    claim = {"resources": {"requests": SIZE}, "volumeName": space.namespace, **common}
    create(
        document("Namespace", {"name": space.namespace, "labels": level}),
        document("PersistentVolume", {"name": space.namespace}, volume),
        document("PersistentVolumeClaim", claimed, claim),
    )
    where = ("--namespace", space.namespace, "--timeout=30s")
    kubectl_or_fail("wait", "--for=jsonpath={.status.phase}=Bound", f"pvc/{CLAIM}", *where)
    kubectl_or_fail("wait", "--for=create", "serviceaccount/default", *where)


def remove_space(space: Space) -> None:
    kubectl_or_fail("delete", "namespace", space.namespace, "--timeout=90s")
    kubectl_or_fail("delete", "persistentvolume", space.namespace, "--timeout=30s")


def document(kind: str, metadata: dict[str, Any], spec: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **({"spec": spec} if spec else {})}


def create(*documents: dict[str, Any]) -> None:
    items = {"apiVersion": "v1", "kind": "List", "items": list(documents)}
    kubectl_or_fail("create", "--filename=-", stdin=json.dumps(items))


def contents(namespace: str) -> set[str]:
    """`kind/name` of everything in the namespace, whatever its API, except events."""
    resources = kubectl_or_fail("api-resources", "--namespaced", "--verbs=list", "--output=name").split()
    kinds = ",".join(name for name in resources if not name.startswith("events"))
    return set(kubectl_or_fail("get", kinds, "--namespace", namespace, "--output=name").split())
