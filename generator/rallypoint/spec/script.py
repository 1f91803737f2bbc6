"""`script`: a training program of the user's own, run as torchrun would run it."""

from __future__ import annotations

from pydantic import Field, model_validator

from rallypoint.spec.base import Model, Text


class ScriptSpec(Model):
    """Exactly one of `file`, `module` and `inline`, with its arguments."""

    file: str | None = Field(None, min_length=1)
    """A Python file: relative to the job file and shipped with the job, or an absolute path in the image."""
    module: str | None = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$")
    """A module of the image, run as `python -m` would."""
    inline: str | None = Field(None, min_length=1)
    """The program itself."""
    files: list[str] = []
    """More files to ship beside it, relative to the job file; they keep their relative paths."""
    args: list[Text] = []
    """Arguments of the program, each passed as it is written."""

    @model_validator(mode="after")
    def _one_program(self) -> ScriptSpec:
        given = [key for key in ("file", "module", "inline") if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise ValueError(f"needs exactly one of file, module and inline (got {found})")
        return self
