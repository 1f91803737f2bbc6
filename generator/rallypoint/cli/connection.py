"""What the verbs that act on a cluster have in common: which cluster, which namespace, how long."""

from __future__ import annotations

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


def connect(context: str | None, namespace: str | None) -> Cluster:
    """The cluster; the Kubernetes client is imported here and not before.

    Raises: InputError when the kubeconfig does not lead to one.
    """
    from rallypoint.cluster.client import Cluster

    if namespace == "":
        raise InputError("--namespace: is empty (got ''); name a namespace, or leave the option out")
    return Cluster(context, namespace)


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
