"""`rallypoint version`: what is installed."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Annotated, Literal

import typer

from rallypoint.cli.files import Debug
from rallypoint.cli.messages import put, put_json

EXAMPLES = """\
rallypoint version
rallypoint version -o json            # also Python, torch and transformers, for a report"""

Output = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="How to print it.")]


def version(output: Output = "text", debug: Debug = False) -> None:
    """Print the version."""
    own = metadata.version("rallypoint")
    if output == "text":
        put(f"rallypoint {own}\n")
        return
    libraries = {name: _installed(name) for name in ("torch", "transformers", "datasets", "accelerate")}
    put_json({
        "rallypoint": own, "python": platform.python_version(), "platform": platform.platform(), **libraries
    })  # fmt: skip


def _installed(name: str) -> str | None:
    """The version of a library that only training needs; None when it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
