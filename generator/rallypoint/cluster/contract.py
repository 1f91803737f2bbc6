"""The contract of a job that lives in the cluster."""

from __future__ import annotations

import json

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.difference import CONTRACT
from rallypoint.cluster.resource import CONFIG_MAP


def processes_per_node(cluster: Cluster, namespace: str, name: str) -> int:
    """Training processes of each node; 1 when the ConfigMap is gone."""
    found = cluster.get(CONFIG_MAP, f"{name}-config", namespace) or {}
    return int(json.loads((found.get("data") or {}).get(CONTRACT, "{}")).get("nproc_per_node", 1))
