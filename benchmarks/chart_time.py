"""Prints what `helm template` of the chart costs beside `rallypoint render`, for the same job file.

    python benchmarks/chart_time.py [job.yaml] [--rounds 5]

CPU seconds (user and system, of every thread) of whole processes, by turns, their median; only the
ratio means something on another machine. helm is the one on PATH.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]


def commands(job: Path) -> dict[str, list[str]]:
    """The two ways to the same objects."""
    # a helm that was built from its module takes itself for an older Kubernetes
    chart = ["helm", "template", "mrpc", str(ROOT / "charts/rallypoint"), "--kube-version", "1.34.0"]
    return {
        "rallypoint render": [sys.executable, "-m", "rallypoint", "render", str(job)],
        "helm template": [*chart, "--values", str(job)],
    }


def cpu_seconds(command: list[str]) -> float:
    """User and system seconds of one call, its children included."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time of helm template beside rallypoint render")
    parser.add_argument("job", nargs="?", type=Path, default=ROOT / "examples/mrpc/job.yaml")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    ways = commands(options.job)
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(options.rounds):
        for name, command in ways.items():
            found[name].append(cpu_seconds(command))
    medians = {name: median(times) for name, times in found.items()}
    for name, times in found.items():
        print(
            f"{name}: {medians[name]:.2f} s of CPU ({min(times):.2f} to {max(times):.2f}, {len(times)} runs)"
        )
    print(f"ratio: {medians['helm template'] / medians['rallypoint render']:.2f}")


if __name__ == "__main__":
    main()
