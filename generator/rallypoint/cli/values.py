"""`rallypoint values`: the job as all files and --set together make it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from rallypoint.cli.files import Debug, Files, MoreFiles, Sets, load_job
from rallypoint.cli.messages import put, put_json

EXAMPLES = """\
rallypoint values -f team.yaml -f job.yaml --set nodes=4
rallypoint values job.yaml > values.yaml && helm install mrpc charts/rallypoint -f values.yaml"""


Output = Annotated[Literal["yaml", "json"], typer.Option("-o", "--output", help="How to print it.")]


def values(
    ctx: typer.Context,
    *,
    files: Files = None,
    filename: MoreFiles = None,
    set_: Sets = None,
    output: Output = "yaml",
    debug: Debug = False,
) -> None:
    """Print what all files together say, as one job file.

    Script files are in it as text: it stands for all, and is what the Helm chart takes as values.
    """
    from rallypoint.loading import values as layered
    from rallypoint.render import to_yaml

    document = layered(load_job(ctx, files, filename, set_ or []))
    if output == "json":
        put_json(document)
    else:
        put(to_yaml([document]))
