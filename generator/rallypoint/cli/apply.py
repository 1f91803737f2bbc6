"""`rallypoint apply`: the job on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rallypoint.cli.connection import Context, Namespace, Timeout, connect, duration
from rallypoint.cli.files import Debug, Files, MoreFiles, Sets, load_for_cluster
from rallypoint.cli.messages import notice, put_json, say, unhindered
from rallypoint.cli.render import Kind
from rallypoint.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rallypoint.cluster.objects import Sent
    from rallypoint.cluster.submission import Submission
    from rallypoint.spec import Job

EXAMPLES = """\
rallypoint apply job.yaml
rallypoint apply -f team.yaml -f job.yaml --set nodes=4 --kind JobSet -n research
rallypoint apply job.yaml --wait --timeout 2h    # exit 0 done, 1 failed, 124 time-out
rallypoint apply job.yaml --dry-run=server       # what the cluster would say; nothing is changed
rallypoint apply job.yaml --replace              # end the run that lives under this name; its output stays
rallypoint apply job.yaml --fresh                # ... and start over: its output is moved aside"""

DryRun = Annotated[
    Literal["none", "client", "server"],
    typer.Option(help="client: render only. server: let the cluster check it. Neither changes anything."),
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for the end: exit 0 done, 1 failed, 124 time-out.")]
Replace = Annotated[
    bool, typer.Option("--replace", help="End a run that lives under this name first; its output stays.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="As --replace, and move its output aside.")]
Force = Annotated[
    bool, typer.Option("--force-conflicts", help="Take over fields that others have set on the objects.")
]
Output = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="How to print the answer.")]


def apply(
    ctx: typer.Context,
    *,
    files: Files = None,
    filename: MoreFiles = None,
    set_: Sets = None,
    kind: Kind = None,
    namespace: Namespace = None,
    context: Context = None,
    dry_run: DryRun = "none",
    wait: Wait = False,
    timeout: Timeout = None,
    replace: Replace = False,
    fresh: Fresh = False,
    force_conflicts: Force = False,
    output: Output = "text",
    debug: Debug = False,
) -> None:
    """Start a job on a cluster, or change what may change of it.

    Sends what render prints, by server-side apply. The same job again is unchanged. Another run under a
    living name is refused before anything changes. With --wait a StatefulSet is scaled to 0 at its end.
    """
    from rallypoint.render import notices, render

    seconds = duration("--timeout", timeout)
    if seconds is not None and not wait:
        raise InputError("--timeout: is the limit of --wait, which is not given; add --wait, or leave it out")
    loaded = load_for_cluster(ctx, files, filename, set_, kind=kind, namespace=namespace)
    objects = render(loaded.job, loaded.scripts)
    say(_plan(loaded.job))
    notice(notices(loaded.job))
    with unhindered() as write:
        printer = _Printer(loaded.job, output == "json", dry_run, write)
        if dry_run == "client":
            printer.rendered(objects)
            return
        from rallypoint.cluster.submission import submission

        what = submission(connect(context, namespace), loaded.job, objects)
        if dry_run == "server":
            _rehearse(what, printer, force_conflicts, ending=replace or fresh)
            return
        _apply(what, printer, force_conflicts, replace, fresh)
        if not wait:
            printer.finish()
            return
        code = _wait(what, printer, seconds, timeout)
    raise typer.Exit(code)


def _plan(job: Job) -> str:
    from rallypoint.run.plan import plan_line

    where = job.output.pvc if job.output and job.output.pvc else ""
    queue = f"queue {job.scheduling.queue}" if job.scheduling.queue else ""
    return plan_line(job, f"{where}:/{job.name}" if where else None, cluster=True, queue=queue)


def _rehearse(what: Submission, printer: _Printer, force: bool, ending: bool) -> None:
    """Tell what the cluster says of the job; nothing is changed."""
    from rallypoint.cluster.submission import refuse_changed_run, rehearsed

    if ending and what.present:
        say(f"{what.job.name}: the run that lives would be ended first; before that the cluster cannot check")
        printer.rendered(what.objects)
        return
    refuse_changed_run(what)
    notice(rehearsed(what, force))
    if what.job.kind == "trainjob":
        say("notice: a TrainJob cannot be checked before its TrainingRuntime is there; the rest was")
    printer.rendered(what.objects)


def _apply(what: Submission, printer: _Printer, force: bool, replace: bool, fresh: bool) -> None:
    """Bring the job into the cluster."""
    from rallypoint.cluster.submission import (
        clear_leftovers,
        end_old,
        refuse_changed_run,
        rehearsed,
        submit,
    )

    over = [view for view in what.present if view.state.over]
    if replace or fresh:
        failed = not what.present or any(view.state.name == "failed" for view in over)
        what = end_old(what, say)
        if fresh or failed:
            _make_way(what, fresh)
    else:
        refuse_changed_run(what)
        what = clear_leftovers(what, say)
    notice(rehearsed(what, force))
    sent = submit(what, force, printer.sent)
    if over and not (replace or fresh) and all(one.result == "unchanged" for one in sent):
        say(_already(over[0].state.name, over[0].state.why, what.job.name))


def _make_way(what: Submission, fresh: bool) -> None:
    """Move aside what would keep the new run from starting: all of the output, or the mark of a failure."""
    from rallypoint.cluster.aside import move_aside
    from rallypoint.cluster.resource import CLAIM

    output = what.job.output
    if output is None or (output.pvc and what.cluster.get(CLAIM, output.pvc, what.namespace) is None):
        return  # there is nothing yet
    move_aside(what.cluster, what.namespace, what.objects, what.job.name, whole=fresh, tell=say)


def _already(state: str, why: str, name: str) -> str:
    if state == "succeeded":
        return f"{name}: is done already; --fresh runs it again from the start"
    return f"{name}: has failed ({why}); --replace tries it again from its newest checkpoint"


def _wait(what: Submission, printer: _Printer, seconds: int | None, timeout: str | None) -> int:
    """The exit code, as that of `rallypoint wait`; a StatefulSet that is over is scaled to 0."""
    from rallypoint.cli.wait import await_end, end_entry, tell_end
    from rallypoint.cluster.retirement import retire

    end: dict[str, Any] = {}
    try:
        code, view = await_end(what.cluster, what.namespace, what.job.name, seconds)
        end = end_entry(code, view)
    finally:
        printer.finish(end)  # what was applied is told also when the waiting was cut short
    try:
        tell_end(what.job.name, code, view, timeout, as_json=printer.as_json)
    finally:  # also when nobody reads
        if view is not None and retire(what.cluster, view):
            say(f"{view.name}: its StatefulSet was scaled to 0; its pods would idle for ever")
    return code


class _Printer:
    """What came of each object: lines as kubectl's, or one JSON document."""

    def __init__(self, job: Job, as_json: bool, dry_run: str, write: Callable[[str], None]) -> None:
        self._job, self.as_json, self._write = job, as_json, write
        self._suffix = "" if dry_run == "none" else f" ({dry_run} dry run)"
        self._objects: list[dict[str, str]] = []

    def sent(self, one: Sent) -> None:
        """One object is through."""
        self._objects.append({"object": one.name, "result": one.result})
        if not self.as_json:
            self._write(f"{one.name} {one.result}{self._suffix}\n")

    def rendered(self, objects: list[dict[str, Any]]) -> None:
        """All objects of a dry run."""
        from rallypoint.cluster.objects import Sent
        from rallypoint.cluster.resource import resource_of

        for item in objects:
            self.sent(Sent(resource_of(item).named(item["metadata"]["name"]), "checked"))
        self.finish()

    def finish(self, end: dict[str, Any] | None = None) -> None:
        """Print the one JSON document, if that was asked for; `end` says how the job ended."""
        if self.as_json:
            job = {"name": self._job.name, "kind": self._job.kind, "objects": self._objects}
            put_json({**job, **(end or {})}, self._write)
