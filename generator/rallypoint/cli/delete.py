"""`rallypoint delete`: a job and all that belongs to it, save what holds data."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from rallypoint.cli.connection import Context, Name, Namespace, connect, duration
from rallypoint.cli.files import Debug
from rallypoint.cli.messages import put_json, say, unhindered

EXAMPLES = """\
rallypoint delete mrpc                 # its claims, which hold the output, stay
rallypoint delete mrpc --pvc           # ... go, too: the output is lost
rallypoint delete mrpc -n research"""

Claims = Annotated[
    bool,
    typer.Option(
        "--pvc", help="Also the claims that the job created, with the output and checkpoints in them."
    ),
]
Limit = Annotated[
    str, typer.Option(metavar="DURATION", help="How long to wait until all is gone; pods save first.")
]
Output = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="How to print what is gone.")]


def delete(
    name: Name,
    *,
    pvc: Claims = False,
    timeout: Limit = "10m",
    namespace: Namespace = None,
    context: Context = None,
    output: Output = "text",
    debug: Debug = False,
) -> None:
    """Delete a job: workload, policy, endpoint and ConfigMaps, in that order.

    Everything is found by its owner label, so the job file is not needed. Claims stay unless --pvc is given.
    A job that is not there is no error.
    """
    from rallypoint.cluster.deletion import delete_objects, remains
    from rallypoint.cluster.namespace import require_namespace

    seconds = duration("--timeout", timeout) or 0
    cluster = connect(context, namespace, name)
    where = cluster.namespace
    found = remains(cluster, where, name)
    going, kept = [*found.objects, *(found.claims if pvc else [])], [] if pvc else found.claims
    if kept:
        names = ", ".join(claim.name for claim in kept)
        say(f"keeping what holds data: {names} (PersistentVolumeClaim); --pvc deletes it, too")
    if not going:
        require_namespace(cluster, where)
        say(f"{name}: nothing to delete in namespace {where!r}")
    with unhindered() as write:
        told = (lambda one: None) if output == "json" else (lambda one: write(f"{one} deleted\n"))
        delete_objects(cluster, where, name, going, seconds=seconds, told=told)
        if output == "json":
            put_json({"name": name, "deleted": [*map(str, going)], "kept": [*map(str, kept)]}, write)
