"""`script`: a training program of the user's own, run as torchrun would run it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag, model_validator

from rallypoint.spec.base import Model, Text, by_shape, matching

INLINE = "inline.py"
"""The name under which an inline script ships."""
FilePath = Annotated[str, Field(min_length=1)]
ShippedFiles = Annotated[
    Annotated[dict[FilePath, str], Tag("<map>")] | Annotated[list[FilePath], Tag("<list>")],
    by_shape("<map>", "<list>"),
]
"""Paths, or paths with the text of each: what `rallypoint values` prints, as helm cannot read files."""


class ScriptSpec(Model):
    """Exactly one of `file`, `module` and `inline`, with its arguments."""

    file: str | None = Field(None, min_length=1)
    """A Python file: relative to the job file and shipped with the job, or an absolute path in the image."""
    module: (
        Annotated[
            str,
            matching(
                r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", "must be a module such as pkg.train"
            ),
        ]
        | None
    ) = None
    """A module of the image, run as `python -m` would."""
    inline: str | None = Field(None, min_length=1)
    """The program itself."""
    files: ShippedFiles = []
    """More files to ship beside it, relative to the job file; they keep their relative paths.

    Or a map from each path to the file's text, as `rallypoint values` prints it.
    """
    args: list[Text] = []
    """Arguments of the program, each passed as it is written."""

    @model_validator(mode="after")
    def _one_program(self) -> ScriptSpec:
        given = [key for key in ("file", "module", "inline") if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise ValueError(f"needs exactly one of file, module and inline (got {found})")
        return self
