"""`rallypoint validate`: is this job file right?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rallypoint.cli.files import Debug, Files, MoreFiles, Sets, load_job
from rallypoint.cli.messages import notice, put, put_json
from rallypoint.errors import InputError, Problem, SpecError

if TYPE_CHECKING:
    from rallypoint.loading import Loaded

EXAMPLES = """\
rallypoint validate job.yaml
rallypoint validate -f team.yaml -f job.yaml --set nodes=4
rallypoint validate job.yaml -o json  # for a program: {"valid": true, "problems": [], ...}"""

Output = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="How to print the answer.")]


def validate(
    ctx: typer.Context,
    *,
    files: Files = None,
    filename: MoreFiles = None,
    set_: Sets = None,
    output: Output = "text",
    debug: Debug = False,
) -> None:
    """Check a job file, and say all that is wrong at once."""
    try:
        loaded = load_job(ctx, files, filename, set_ or [])
    except SpecError as error:
        if output == "json":
            put_json({"valid": False, "problems": [_entry(problem) for problem in error.problems]})
        raise
    cluster = _not_for_a_cluster(loaded)
    job = loaded.job
    if output == "json":
        put_json({
            "valid": True,
            "problems": [],
            "name": job.name,
            "kind": job.kind,
            "nodes": job.nodes,
            "world_size": job.world_size,
            "cluster": cluster,
        })  # fmt: skip
        return
    notice(f"fine for run, not for a cluster: {problem}" for problem in cluster)
    put(f"{job.name}: valid ({job.nodes} x {job.nproc} processes, kind {job.kind})\n")


def _not_for_a_cluster(loaded: Loaded) -> list[str]:
    """What keeps the job from a cluster although it can run here, as a missing image."""
    from rallypoint.loading import require_cluster
    from rallypoint.render import render

    try:
        require_cluster(loaded)
        render(loaded.job, loaded.scripts)
    except InputError as error:
        return str(error).splitlines()
    return []


def _entry(problem: Problem) -> dict[str, Any]:
    """One problem as JSON."""
    return problem._asdict()
