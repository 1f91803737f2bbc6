"""The command line as a process, as a shell would start it."""

import os
import subprocess
import sys

JOB = """\
name: tiny
nodes: 2
image: ghcr.io/acme/train:1
script: {module: pkg.train}
"""


def rallypoint(*arguments, folder=None, stdin=None, environment=None):
    """The finished process: returncode, stdout and stderr."""
    return subprocess.run(
        [sys.executable, "-m", "rallypoint", *arguments],
        cwd=folder, input=stdin, stdin=subprocess.DEVNULL if stdin is None else None, capture_output=True,
        text=True, timeout=60, env={**os.environ, **(environment or {})},
    )  # fmt: skip
