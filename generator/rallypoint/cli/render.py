"""`rallypoint render`: the job as Kubernetes objects."""

from __future__ import annotations

from typing import Annotated

import typer

from rallypoint.cli.files import Debug, Files, MoreFiles, Sets, load_for_cluster
from rallypoint.cli.messages import notice, put, put_json, say

EXAMPLES = """\
rallypoint render job.yaml | kubectl apply -f -
rallypoint render -f team.yaml -f job.yaml --set nodes=4
rallypoint render job.yaml --kind PyTorchJob -n research
rallypoint render job.yaml -o manifests/mrpc    # one file per object, in apply order
rallypoint render job.yaml -o json"""

Output = Annotated[
    str,
    typer.Option("-o", "--output", metavar="yaml|json|DIR", help="The format, or a folder to write to."),
]
Kind = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        show_default=False,
        help="Job, StatefulSet, PyTorchJob, JobSet or TrainJob, over the file's.",
    ),
]
Namespace = Annotated[
    str | None,
    typer.Option("-n", "--namespace", show_default=False, help="Where the objects go, over the file's."),
]


def render(
    ctx: typer.Context,
    *,
    files: Files = None,
    filename: MoreFiles = None,
    set_: Sets = None,
    kind: Kind = None,
    namespace: Namespace = None,
    output: Output = "yaml",
    debug: Debug = False,
) -> None:
    """Print the Kubernetes objects of a job, in apply order."""
    from rallypoint.render import notices, to_yaml
    from rallypoint.render import render as rendered

    loaded = load_for_cluster(ctx, files, filename, set_, kind=kind, namespace=namespace)
    objects = rendered(loaded.job, loaded.scripts)
    notice(notices(loaded.job))
    if output == "yaml":
        put(to_yaml(objects))
    elif output == "json":
        put_json({"apiVersion": "v1", "kind": "List", "items": objects})
    else:
        from rallypoint.cli.folder import write_objects

        count = write_objects(output, loaded.job.name, objects)
        say(f"wrote {count} files; apply them with: kubectl apply -f {output}")
