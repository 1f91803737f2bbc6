"""The contract of a job that lives in the cluster."""

from __future__ import annotations

from typing import Any

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import FORBIDDEN, Refusal
from rallypoint.cluster.resource import CONFIG_MAP
from rallypoint.podview.config import CONTRACT
from rallypoint.told import told


def living_contract(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    """The contract; empty when the ConfigMap is gone or may not be read."""
    try:
        found = cluster.get(CONFIG_MAP, f"{name}-config", namespace) or {}
    except Refusal as error:
        if error.status != FORBIDDEN:
            raise
        return {}
    return told((found.get("data") or {}).get(CONTRACT, ""))


def count(document: dict[str, Any], key: str, otherwise: int) -> int:
    """A count of the contract; `otherwise` where somebody has made it something else."""
    found = document.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else otherwise
