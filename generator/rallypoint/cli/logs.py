"""`rallypoint logs`: what the nodes print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rallypoint.cli.connection import Context, Name, Namespace, connect, duration
from rallypoint.cli.files import Debug
from rallypoint.cli.messages import put, say
from rallypoint.errors import InputError, RallypointError

if TYPE_CHECKING:
    from rallypoint.cluster.client import Cluster
    from rallypoint.cluster.logs import Excerpt
    from rallypoint.cluster.view import JobView

EXAMPLES = """\
rallypoint logs mrpc                   # node 0
rallypoint logs mrpc -f                # ... as it comes, over restarts of its pod
rallypoint logs mrpc --rank 5          # the node of rank 5
rallypoint logs mrpc --all --tail 20   # every node, each line with its node"""

Follow = Annotated[bool, typer.Option("-f", "--follow", help="Go on until the job is over.")]
Rank = Annotated[
    int | None, typer.Option(min=0, show_default=False, help="The node on which this rank runs.")
]
Node = Annotated[int | None, typer.Option(min=0, show_default=False, help="This node.")]
All = Annotated[bool, typer.Option("--all", help="Every node, each line with its node.")]
Tail = Annotated[int | None, typer.Option(min=0, show_default=False, help="Only so many last lines of each.")]
Since = Annotated[
    str | None, typer.Option(metavar="DURATION", show_default=False, help="Only what is younger, as 10m.")
]


def logs(
    name: Name,
    *,
    follow: Follow = False,
    rank: Rank = None,
    node: Node = None,
    all_: All = False,
    tail: Tail = None,
    since: Since = None,
    namespace: Namespace = None,
    context: Context = None,
    debug: Debug = False,
) -> None:
    """Print the log of node 0, or of another node, or of all.

    The log of a node holds what all its ranks print. With -f the next pod of the node is read when the
    present one is lost.
    """
    from rallypoint.cluster.logs import Excerpt, require_node
    from rallypoint.cluster.view import job

    chosen = {"--rank": rank is not None, "--node": node is not None, "--all": all_}
    if sum(chosen.values()) > 1:
        given = " and ".join(option for option, there in chosen.items() if there)
        raise InputError(f"{given}: exclude each other; give one of them")
    part = Excerpt(tail, duration("--since", since))
    cluster = connect(context, namespace, name)
    view = job(cluster, cluster.namespace, name)
    require_node(view, node or 0)
    if rank is not None:
        node = _node_of(cluster, view, rank)
    nodes = list(range(view.nodes)) if all_ else [node or 0]
    if follow:
        _follow(cluster, view, nodes, part)
    else:
        _print(cluster, view, nodes, part)


def _follow(cluster: Cluster, view: JobView, nodes: list[int], part: Excerpt) -> None:
    from rallypoint.cluster.logs import followed

    for number, line in followed(cluster, view, nodes, part, say):
        put(_prefixed(number, line, nodes))


def _print(cluster: Cluster, view: JobView, nodes: list[int], part: Excerpt) -> None:
    """All that is there; with several nodes one that cannot be read does not keep the others back."""
    from rallypoint.cluster.logs import written

    for number in nodes:
        try:
            for line in written(cluster, view, number, part):
                put(_prefixed(number, line, nodes))
        except RallypointError as error:
            if len(nodes) == 1:
                raise
            say(str(error))


def _prefixed(number: int, line: str, nodes: list[int]) -> str:
    return f"node {number}: {line}\n" if len(nodes) > 1 else f"{line}\n"


def _node_of(cluster: Cluster, view: JobView, rank: int) -> int:
    """The node of a rank: ranks follow the nodes. Raises: InputError when there is no such rank."""
    from rallypoint.cluster.contract import count, living_contract

    each = max(1, count(living_contract(cluster, view.namespace, view.name), "nproc_per_node", 1))
    if rank >= view.nodes * each:
        raise InputError(f"{view.name}: there is no rank {rank}; it has ranks 0 to {view.nodes * each - 1}")
    return rank // each
