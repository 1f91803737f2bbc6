"""The contract of a job that lives in the cluster."""

from __future__ import annotations

import json
from typing import Any

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import FORBIDDEN, Refusal
from rallypoint.cluster.resource import CONFIG_MAP
from rallypoint.podview.config import CONTRACT


def living_contract(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    """The contract; empty when the ConfigMap is gone or may not be read."""
    try:
        found = cluster.get(CONFIG_MAP, f"{name}-config", namespace) or {}
    except Refusal as error:
        if error.status != FORBIDDEN:
            raise
        return {}
    return dict(json.loads((found.get("data") or {}).get(CONTRACT, "{}")))
