"""The chart's generated files are what tools/chart.py writes today."""

import subprocess
import sys

from chart.helm import ROOT


def test_generated_files_are_fresh():
    command = [sys.executable, ROOT / "tools/chart.py", "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
