"""Jobs and pods as aligned text; columns as kubectl's."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rallypoint.cli.messages import spelled
from rallypoint.spec import KINDS

if TYPE_CHECKING:
    from rallypoint.cluster.pod import Pod
    from rallypoint.cluster.view import JobView


def overview(views: Iterable[JobView], namespaces: bool) -> str:
    """One line for each job, and below it why it waits or failed."""
    head = [*(["NAMESPACE"] if namespaces else []), "NAME", "KIND", "STATE", "PODS", "AGE", "PROGRESS"]
    rows = [([*([view.namespace] if namespaces else []), *_row(view)], view.state.why) for view in views]
    lines = table([head, *(row for row, _ in rows)])
    told = [lines[0]]
    for line, (_, why) in zip(lines[1:], rows, strict=True):
        told += [line, *([f"    {why}"] if why else [])]
    return spelled("\n".join(told) + "\n")


def _row(view: JobView) -> list[str]:
    running = sum(pod.phase in ("running", "succeeded") for pod in view.pods)
    pods = f"{running}/{view.nodes}"
    return [
        view.name, KINDS[view.kind], view.state.name, pods, age(view.created),
        str(view.progress) if view.progress else "",
    ]  # fmt: skip


def details(view: JobView) -> str:
    """A job, then each of its pods."""
    queue = f", queue {view.queue}" if view.queue else ""
    nodes = f"{view.nodes} node{'s' * (view.nodes > 1)}"
    lines = [
        f"{view.name}: {view.state}",
        f"  {KINDS[view.kind]} in namespace {view.namespace}, {nodes}{queue}, {age(view.created)} old",
    ]
    if view.progress:
        lines.append(f"  {view.progress}")
    if view.pods:
        head = ["NODE", "POD", "PHASE", "RESTARTS", "MACHINE", "WHY"]
        rows = [
            [_index(pod), pod.name, pod.phase, str(pod.restarts), pod.machine or "-", _why(pod)]
            for pod in view.pods
        ]
        lines += [f"  {line}" for line in table([head, *rows])]
    return spelled("\n".join(lines) + "\n")


def _index(pod: Pod) -> str:
    return "?" if pod.node is None else str(pod.node)


def _why(pod: Pod) -> str:
    """Why it waits or how it ended."""
    return pod.why or (pod.ended.message if pod.ended and pod.phase == "succeeded" else "")


def table(rows: list[list[str]]) -> list[str]:
    """The rows with each column as wide as its widest entry; no blanks at the end."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def age(created: str, now: datetime | None = None) -> str:
    """`42s`, `17m`, `5h` or `3d` since an RFC 3339 time; `?` for another text."""
    try:
        begun = datetime.fromisoformat(created)
    except ValueError:
        return "?"
    seconds = max(0, int(((now or datetime.now(UTC)) - begun).total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
