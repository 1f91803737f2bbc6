"""Which job files a verb works on, and in which order they are layered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from rallypoint.errors import InputError

if TYPE_CHECKING:
    from rallypoint.loading import Loaded

DEFAULT_FILE = "job.yaml"
_ARGUMENTS = "rallypoint.arguments"

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Job files, layered left to right; - is standard input. None: job.yaml in this folder.",
    ),
]
MoreFiles = Annotated[
    list[str] | None,
    typer.Option("-f", "--filename", metavar="FILE", show_default=False, help="A job file; may be repeated."),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        show_default=False,
        help="Set one value over the files', as in --set nodes=4; may be repeated.",
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


class Verb(TyperCommand):
    """A command that remembers its arguments as they were typed, and prints its examples as they are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What is left after parsing; the arguments' order is kept for `job_files`."""
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples line by line: they are commands, not prose to be wrapped."""
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def job_files(ctx: typer.Context, arguments: list[str] | None, options: list[str] | None) -> list[str]:
    """The job files in the order in which they were typed; job.yaml of this folder when none is given.

    Raises: InputError when none is given and there is no job.yaml.
    """
    files = [*(arguments or []), *(options or [])]
    if files:
        typed = ctx.meta[_ARGUMENTS]
        return sorted(files, key=lambda file: _position(file, typed))
    if Path(DEFAULT_FILE).exists():
        return [DEFAULT_FILE]
    raise InputError(
        f"no job file given, and there is no {DEFAULT_FILE} in this folder; name one, "
        f"or write a first one with 'rallypoint init'"
    )


def _position(file: str, typed: list[str]) -> int:
    """Where `file` was typed: alone, or glued to its option."""
    spellings = {file, f"-f{file}", f"--filename={file}"}
    return next((place for place, word in enumerate(typed) if word in spellings), len(typed))


def load_job(
    ctx: typer.Context,
    arguments: list[str] | None,
    options: list[str] | None,
    sets: list[str],
    **target: Any,
) -> Loaded:
    """The checked job, for the `target` that `load` takes, its notices already on stderr.

    Raises: InputError when a file cannot be read; SpecError with all problems of the spec.
    """
    from rallypoint.cli.messages import notice, say
    from rallypoint.loading import load

    files = job_files(ctx, arguments, options)
    if "-" in files and sys.stdin is not None and sys.stdin.isatty():
        say("reading the job from the terminal; end it with Ctrl-D")
    loaded = load(files, sets, **target)
    notice(loaded.notices)
    return loaded


def load_for_cluster(
    ctx: typer.Context,
    arguments: list[str] | None,
    options: list[str] | None,
    sets: list[str] | None,
    **fields: str | None,
) -> Loaded:
    """As `load_job`, with the spec's `fields` that options of their own give, and all that pods need.

    Raises: as `load_job`; SpecError when something is missing that a cluster needs.
    """
    given = {key: value for key, value in fields.items() if value is not None}
    return load_job(ctx, arguments, options, sets or [], cluster=True, fields=given)
