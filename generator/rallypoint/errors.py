"""The errors that a user can meet, each with the exit code it ends the command with.

RallypointError          1  the job or the cluster failed
    InputError           2  the input was wrong: spec, data, model, path
        SpecError        2  ... the spec, all its problems at once
    JobFailed            1  a run ended with an error (or its own code)

Refuses to format anything but text: the caller writes `where: what is wrong (the value); what to do`.
"""

from __future__ import annotations

from typing import NamedTuple


class RallypointError(Exception):
    """Something a user can act on; its text is the whole message."""

    exit_code = 1


class InputError(RallypointError):
    """The input was wrong; trying again without a change is of no use."""

    exit_code = 2


class Problem(NamedTuple):
    """One thing wrong with a spec, and where."""

    file: str
    """As the user gave it; `--set` for a value from the command line, empty when unknown."""
    line: int
    """Counted from 1; 0 when the problem belongs to no line."""
    key: str
    """Dotted, as in `train.training_args.eval_strategy`; empty for the whole document."""
    text: str
    """What is wrong (the value); what to do."""

    def __str__(self) -> str:
        """`file:line: key: text`, without the parts that are unknown; `--key: text` for a key's option."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        key = "" if place == f"--{self.key}" else self.key
        return ": ".join(part for part in (place, key, self.text) if part)


class SpecError(InputError):
    """The spec is wrong; `problems` holds all of it, in file order."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


class JobFailed(RallypointError):
    """A run ended with an error; `exit_code` is that of the launcher."""

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code
