"""What the verbs that act on a cluster have in common: which cluster, which namespace, how long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from rallypoint.errors import InputError

if TYPE_CHECKING:
    from rallypoint.cluster.client import Cluster

Name = Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="The job's name.")]
Namespace = Annotated[
    str | None,
    typer.Option("-n", "--namespace", show_default=False, help="The namespace, over the context's."),
]
Context = Annotated[
    str | None,
    typer.Option(show_default=False, help="The kubeconfig's context, over the current one."),
]
Timeout = Annotated[
    str | None,
    typer.Option(metavar="DURATION", show_default=False, help="As 90s, 15m, 24h or 1d. Left out: no limit."),
]


LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
"""Source: RFC 1123, section 2.1, as Kubernetes' object names have it."""


def connect(context: str | None, namespace: str | None, name: str | None = None) -> Cluster:
    """The cluster; the Kubernetes client is imported here and not before.

    `name` and `namespace` become parts of paths and selectors, so they are checked first; so is
    the namespace of the kubeconfig's context where it counts.

    Raises: InputError for what cannot be a name, and when the kubeconfig does not lead to a cluster.
    """
    from rallypoint.cluster.client import Cluster

    wrong = [
        f"{option}: cannot be the name of a {what} (got {text!r}); give lower-case letters, digits and '-'"
        for option, what, text in (("NAME", "job", name), ("--namespace", "namespace", namespace))
        if text is not None and not LABEL.fullmatch(text)
    ]
    if wrong:
        raise InputError("\n".join(wrong))
    cluster = Cluster(context, namespace)
    if not LABEL.fullmatch(cluster.namespace):
        whose = f"context {cluster.context!r}" if cluster.context else "the pod's service account"
        raise InputError(
            f"kubeconfig: the namespace of {whose} cannot be the name of a namespace "
            f"(got {cluster.namespace!r}); give lower-case letters, digits and '-', or name another with -n"
        )
    return cluster


def duration(option: str, text: str | None) -> int | None:
    """Seconds; None for None.

    Raises: InputError when `text` is no duration.
    """
    from rallypoint.quantity import seconds

    if text is None:
        return None
    try:
        return seconds(text)
    except ValueError as error:
        message = f"{option}: must be a whole number and a unit such as 90s, 15m, 24h or 1d (got {text!r})"
        raise InputError(message) from error
