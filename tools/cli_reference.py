"""Writes docs/cli.md: every verb's `--help`, as it is printed.

python tools/cli_reference.py            # write it
python tools/cli_reference.py --check    # 1 when it is not what this would write
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
VERBS = (
    "init",
    "validate",
    "values",
    "render",
    "run",
    "apply",
    "status",
    "logs",
    "wait",
    "delete",
    "schema",
    "version",
)
HEAD = """\
# The command line

Written from `--help` by `tools/cli_reference.py`; do not edit.

stdout carries only the result; messages, notices and progress go to stderr. Exit codes: 0 done; 1 the job
failed; 2 the input was wrong; 130 and 143 stopped by Ctrl-C or SIGTERM; 141 the reader of stdout went away.
"""


def help_text(*arguments: str) -> str:
    """What `rallypoint ... --help` prints, 100 columns wide."""
    command = [sys.executable, "-m", "rallypoint", *arguments, "--help"]
    environment = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def page() -> str:
    """The whole page."""
    parts = [HEAD, f"```text\n{help_text()}```\n"]
    parts += [f"## rallypoint {verb}\n\n```text\n{help_text(verb)}```\n" for verb in VERBS]
    return "\n".join(parts)


def main() -> int:
    """The exit code."""
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page())
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
