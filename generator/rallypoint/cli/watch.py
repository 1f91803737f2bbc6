"""`status --watch`: a live view on a terminal, a line for each change elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rallypoint.cli.messages import put, say
from rallypoint.cli.table import details, overview
from rallypoint.cluster.errors import Unreachable
from rallypoint.cluster.waiting import patiently

if TYPE_CHECKING:
    from rallypoint.cluster.view import JobView

_STYLES = {
    "running": "green", "succeeded": "bold green", "failed": "bold red",
    "pending": "yellow", "queued": "yellow",
}  # fmt: skip


def watch_jobs(look: Callable[[], list[JobView]], name: str | None, seconds: float) -> None:
    """Show what `look` finds until the one job asked for is over, or for ever."""
    live = sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
    if live:
        _live(look, name, seconds)
    else:
        _lines(look, name, seconds)


def _over(views: list[JobView], name: str | None) -> bool:
    return name is not None and all(view.state.over for view in views)


def _lines(look: Callable[[], list[JobView]], name: str | None, seconds: float) -> None:
    """Print the view whenever it has changed; a short loss of the cluster is waited out."""
    said = None
    while True:
        views = patiently(look, say)
        now = [(view.name, view.state, view.progress, [pod[:4] for pod in view.pods]) for view in views]
        if now != said:
            said = now
            put("\n".join(map(details, views)) if name else overview(views, namespaces=False))
        if _over(views, name):
            return
        time.sleep(seconds)


def _live(look: Callable[[], list[JobView]], name: str | None, seconds: float) -> None:
    from rich.console import Console
    from rich.live import Live

    views: list[JobView] = patiently(look, say)
    trouble = ""
    with Live(console=Console(), auto_refresh=False, transient=False) as live:
        while True:
            live.update(_picture(views, trouble), refresh=True)
            if _over(views, name):
                return
            time.sleep(seconds)
            try:
                views, trouble = look(), ""
            except Unreachable as error:
                trouble = f"{error}; trying again"


def _picture(views: list[JobView], trouble: str) -> Any:
    """Every job with its bar and its pods."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = [part for view in views for part in _job(view)]
    if not views:
        parts.append(Text("no jobs", style="dim"))
    return Group(*parts, *([Text(trouble, style="yellow")] if trouble else []))


def _job(view: JobView) -> list[Any]:
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    first, *rest = details(view).splitlines()
    head = Text(first, style=_STYLES.get(view.state.name, ""))
    bar: list[Any] = []
    if view.progress and view.progress.step is not None and view.progress.max_steps:
        grid = Table.grid(padding=(0, 1))
        grid.add_row("  ", ProgressBar(total=view.progress.max_steps, completed=view.progress.step, width=40))
        bar = [grid]
    return [head, *bar, *(Text(line) for line in rest)]
