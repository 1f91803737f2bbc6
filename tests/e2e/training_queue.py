"""A Kueue queue of the tests' own, with room for one job of three pods."""

from __future__ import annotations

import json
from typing import Any

from ..cluster.kubectl import kubectl_or_fail

GROUP = "kueue.x-k8s.io"
ROOM = "6Gi"
"""Three pods of 2Gi."""


def queue_objects(name: str, namespace: str) -> list[dict[str, Any]]:
    """A flavor, a queue that preempts lower priorities, two priorities, and the way to the queue."""
    room = {"cpu": "100", "memory": ROOM}  # a queue must name all that its pods ask for
    quota = {"name": name, "resources": [{"name": key, "nominalQuota": size} for key, size in room.items()]}
    spec = {
        "namespaceSelector": {},
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [{"coveredResources": list(room), "flavors": [quota]}],
    }
    return [
        made("ResourceFlavor", name, spec={}),
        made("ClusterQueue", name, spec=spec),
        made("LocalQueue", name, namespace, spec={"clusterQueue": name}),
        made("WorkloadPriorityClass", f"{name}-low", value=1, description="of the tests"),
        made("WorkloadPriorityClass", f"{name}-high", value=1000, description="of the tests"),
    ]


def made(kind: str, name: str, namespace: str | None = None, **more: Any) -> dict[str, Any]:
    where = {"namespace": namespace} if namespace else {}
    return {"apiVersion": f"{GROUP}/v1beta2", "kind": kind, "metadata": {"name": name, **where}, **more}


def create_queue(name: str, namespace: str) -> None:
    kubectl_or_fail("create", "--filename=-", stdin=as_list(name, namespace))


def delete_queue(name: str, namespace: str) -> None:
    kubectl_or_fail("delete", "--filename=-", "--timeout=60s", stdin=as_list(name, namespace))


def as_list(name: str, namespace: str) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": queue_objects(name, namespace)})
