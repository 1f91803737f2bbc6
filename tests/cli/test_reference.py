"""docs/cli.md is what `--help` prints."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_page_is_fresh():
    tool = ROOT / "tools" / "cli_reference.py"
    checked = subprocess.run([sys.executable, str(tool), "--check"], timeout=120)
    assert checked.returncode == 0, "docs/cli.md is stale: run python tools/cli_reference.py"
