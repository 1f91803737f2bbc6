"""A verb in this process: its exit code, stdout and stderr."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from rallypoint.cli import main

JOB = """\
name: tiny
nodes: 2
image: ghcr.io/acme/train:1
script: {module: pkg.train}
"""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def verb(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ended:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out, err = capsys.readouterr()
    assert "\nTraceback" not in f"\n{err}"  # of ours; a program's is indented
    return Ended(int(end.value.code or 0), out, err)
