"""The verbs, put together."""

from __future__ import annotations

import typer

from rallypoint.cli import (
    apply,
    delete,
    init,
    logs,
    render,
    run,
    schema,
    status,
    validate,
    values,
    version,
    wait,
)
from rallypoint.cli.files import Verb

EPILOG = "Start with: rallypoint init && rallypoint run"

app = typer.Typer(
    name="rallypoint",
    help="One YAML file becomes a distributed PyTorch run: on this machine, or on Kubernetes.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,  # no import of rich; the same text in a terminal, a pipe and docs/cli.md
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for module in (init, validate, values, render, run, apply, status, logs, wait, delete, schema, version):
    name = module.__name__.rpartition(".")[2]
    command = getattr(module, name)
    app.command(name, cls=Verb, epilog=module.EXAMPLES)(command)
