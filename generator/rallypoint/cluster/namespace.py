"""Whether a namespace is there: asked only where nothing was found in it, since a list does not tell."""

from __future__ import annotations

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import MissingNamespace
from rallypoint.errors import RallypointError


def require_namespace(cluster: Cluster, namespace: str | None) -> None:
    """Nothing when the namespace is there, or nobody can tell; None is all of them.

    Raises: MissingNamespace.
    """
    if namespace is None:
        return
    try:
        cluster.namespace_labels(namespace)
    except MissingNamespace:
        raise
    except RallypointError:
        return
