"""`rallypoint run`: the job on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from rallypoint.cli.files import Debug, Files, MoreFiles, Sets, load_job

EXAMPLES = """\
rallypoint run job.yaml
rallypoint run job.yaml --set nodes=2 --set train.training_args.max_steps=20
rallypoint run job.yaml --fresh       # from the start; what was there is moved aside"""

Fresh = Annotated[bool, typer.Option("--fresh", help="Start over: move an earlier output aside.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show all lines of all nodes.")]


def run(
    ctx: typer.Context,
    *,
    files: Files = None,
    filename: MoreFiles = None,
    set_: Sets = None,
    fresh: Fresh = False,
    verbose: Verbose = False,
    debug: Debug = False,
) -> None:
    """Run a job on this machine.

    The same launcher as on a cluster, once for each node. Ctrl-C ends it and keeps a checkpoint; the same
    command goes on from there. Results: ./output/NAME.
    """
    from rallypoint.run import run as run_here

    raise typer.Exit(run_here(load_job(ctx, files, filename, set_ or []), fresh=fresh, verbose=verbose))
