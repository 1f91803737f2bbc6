"""`rallypoint wait`: until a job is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rallypoint.cli.connection import Context, Name, Namespace, Timeout, connect, duration
from rallypoint.cli.files import Debug
from rallypoint.cli.messages import put, put_json, say

if TYPE_CHECKING:
    from rallypoint.cluster.client import Cluster
    from rallypoint.cluster.view import JobView

EXAMPLES = """\
rallypoint wait mrpc                   # exit 0 when it is done, 1 when it failed
rallypoint wait mrpc --timeout 2h      # 124 when it is neither by then
rallypoint wait mrpc && rallypoint delete mrpc"""

Output = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="How to print the end.")]


def wait(
    name: Name,
    *,
    timeout: Timeout = None,
    namespace: Namespace = None,
    context: Context = None,
    output: Output = "text",
    debug: Debug = False,
) -> None:
    """Wait for the end of a job: exit 0 done, 1 failed, 124 time-out.

    Changes nothing. A job of any kind is waited for, a StatefulSet's too, which itself never ends.
    """
    seconds = duration("--timeout", timeout)
    cluster = connect(context, namespace, name)
    code, view = await_end(cluster, cluster.namespace, name, seconds)
    if output == "json":
        put_json({"name": name, **end_entry(code, view)})
    tell_end(name, code, view, timeout, as_json=output == "json")
    raise typer.Exit(code)


def await_end(
    cluster: Cluster, namespace: str, name: str, seconds: float | None
) -> tuple[int, JobView | None]:
    """The exit code and the job as it was seen last."""
    from rallypoint.cluster.waiting import wait_for_end

    return wait_for_end(cluster, namespace, name, seconds, say)


def tell_end(name: str, code: int, view: JobView | None, timeout: str | None, as_json: bool) -> None:
    """Print how the job ended, in words: that it is done on stdout, unless that has JSON; else on stderr."""
    from rallypoint.cluster.waiting import DONE, TIMED_OUT

    if view is None:
        say(f"{name}: was deleted before its end was seen")
    elif code == TIMED_OUT:
        say(f"{name}: not over after {timeout}: {view.state}")
    elif code != DONE:
        say(f"{name}: failed: {view.state.why or 'its pods left no word of why'}")
        for line in traceback_of(view):
            say(f"  {line}")
    elif not as_json:
        put(f"{name}: done\n")


def traceback_of(view: JobView) -> list[str]:
    """The end of the traceback in the launcher's termination message; empty when there is none."""
    from rallypoint.cluster.pod import first_failed

    first = first_failed(view.pods)
    text = str(first.ended.fields.get("traceback") or "") if first and first.ended else ""
    return text.rstrip().splitlines()[-20:]


def end_entry(code: int, view: JobView | None) -> dict[str, Any]:
    """The same for a program."""
    state = "deleted" if view is None else view.state.name
    return {"state": state, "why": view.state.why if view else "", "exit_code": code}
