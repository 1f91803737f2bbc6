"""Writes the two tables of docs/faults.md that a run has measured.

RALLYPOINT_FIGURES=figures.jsonl make e2e
python tools/faults.py figures.jsonl [PAGE]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "faults.md"
EXAMPLE = "the example"
SAME = "| kind | losses and gradient norms apart from the local run | metrics apart |"
FAULTS = "| fault | kind | resumed from | lost steps | pod, s | imports, s | start, s | step, s | apart |"
TIMES = ("pod", "imports", "start", "step")


def apart(value: float) -> str:
    """A relative difference, as it is shown; 0 is bit for bit."""
    return f"{value:.1e}" if value else "0"


def same_row(figure: dict[str, Any]) -> str:
    """One kind on which the example has run."""
    return f"| {figure['kind']} | {apart(figure['apart'])} | {apart(figure['metrics_apart'])} |"


def fault_row(figure: dict[str, Any]) -> str:
    """One fault; what the test has not measured stays empty. Kind job where it names none."""
    times = [f"{figure[name]:.0f}" if name in figure else "" for name in TIMES]
    head = [figure["what"], figure.get("kind", "job"), figure.get("resumed", ""), figure["lost"]]
    return f"| {' | '.join(map(str, [*head, *times, apart(figure['apart'])]))} |"


def with_rows(page: str, header: str, rows: list[str]) -> str:
    """The page with these rows under that header; as it is when there are none.

    Raises: ValueError when the page has no such table.
    """
    if not rows:
        return page
    lines = page.splitlines()
    first = lines.index(header) + 2
    last = next(i for i in range(first, len(lines) + 1) if i == len(lines) or not lines[i].startswith("|"))
    return "\n".join([*lines[:first], *rows, *lines[last:]]) + "\n"


def main() -> None:
    """Takes the figures' file and, for another than docs/faults.md, the page."""
    source, target = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else PAGE
    figures = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    page = target.read_text(encoding="utf-8")
    page = with_rows(page, SAME, [same_row(one) for one in figures if one["what"] == EXAMPLE])
    faults = [one for one in figures if "lost" in one]
    target.write_text(with_rows(page, FAULTS, [fault_row(one) for one in faults]), encoding="utf-8")


if __name__ == "__main__":
    main()
