"""`rallypoint status`: how the jobs of a cluster are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rallypoint.cli.connection import Context, Namespace, connect
from rallypoint.cli.files import Debug
from rallypoint.cli.messages import put, put_json, say
from rallypoint.errors import InputError

if TYPE_CHECKING:
    from rallypoint.cluster.client import Cluster
    from rallypoint.cluster.view import JobView

EXAMPLES = """\
rallypoint status                      # all jobs of the namespace
rallypoint status mrpc                 # one job: its pods, and why they wait or failed
rallypoint status mrpc --watch         # ... as it goes on, until it is over
rallypoint status -A -o json           # all namespaces, for a program"""

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", show_default=False, help="A job. None: all of the namespace.")
]
Everywhere = Annotated[bool, typer.Option("-A", "--all-namespaces", help="The jobs of all namespaces.")]
Watch = Annotated[bool, typer.Option("-w", "--watch", help="Go on until the job is over, or Ctrl-C.")]
Output = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="How to print it.")]
WATCH_SECONDS = 2.0


def status(
    name: Name = None,
    *,
    all_namespaces: Everywhere = False,
    watch: Watch = False,
    namespace: Namespace = None,
    context: Context = None,
    output: Output = "text",
    debug: Debug = False,
) -> None:
    """Show jobs: state, pods and why they wait, step and loss, and how a failed one ended."""
    if all_namespaces and namespace is not None:
        raise InputError("--all-namespaces and --namespace: exclude each other; give one of them")
    if watch and output == "json":
        raise InputError(
            "--watch: shows a live view, which is no JSON; leave out -o json, or use 'wait -o json'"
        )
    cluster = connect(context, namespace, name)
    where = None if all_namespaces else cluster.namespace
    if watch:
        from rallypoint.cli.watch import watch_jobs

        watch_jobs(lambda: found(cluster, where, name), name, WATCH_SECONDS)
        return
    views = found(cluster, where, name)
    if output == "json":
        put_json({"jobs": [entry(view) for view in views]})
    elif not views:
        say(f"no jobs in {'any namespace' if where is None else f'namespace {where!r}'}")
    else:
        from rallypoint.cli.table import details, overview

        text = overview(views, namespaces=where is None) if name is None else "\n".join(map(details, views))
        put(text)


def found(cluster: Cluster, namespace: str | None, name: str | None) -> list[JobView]:
    """The jobs that are asked for.

    Raises: InputError when the one of that name is not there; MissingNamespace.
    """
    from rallypoint.cluster.namespace import require_namespace
    from rallypoint.cluster.view import jobs, no_job

    views = jobs(cluster, namespace, name)
    if not views:
        require_namespace(cluster, namespace)
    if name is not None and not views:
        raise InputError(no_job(name, namespace or "any"))
    return views


def entry(view: JobView) -> dict[str, Any]:
    """One job as JSON."""
    return {
        "name": view.name,
        "namespace": view.namespace,
        "kind": view.kind,
        "state": view.state.name,
        "why": view.state.why,
        "nodes": view.nodes,
        "queue": view.queue or None,
        "created": view.created,
        "progress": view.progress._asdict() if view.progress else None,
        "pods": [_pod(pod) for pod in view.pods],
    }


def _pod(pod: Any) -> dict[str, Any]:
    fields = {
        key: getattr(pod, key) for key in ("node", "name", "phase", "why", "restarts", "machine", "created")
    }
    ended = {"code": pod.ended.code, "message": pod.ended.message, **pod.ended.fields} if pod.ended else None
    return {**fields, "ended": ended}
