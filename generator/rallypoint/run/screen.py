"""Where a run's lines and its progress bar are written; never a reason for the run to fail.

Text of the program goes to stdout; ours, and the bar on a terminal, to stderr. A reader that goes away is
told of once, and the run goes on without.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Stream:
    """An output that swallows what it cannot write, as after `| head` or on a closed terminal."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.broken = stream is None
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Characters written, as far as the caller need know."""
        if self._stream is not None and not self.broken:
            try:
                self._stream.write(text.encode(self.encoding, "replace").decode(self.encoding, "replace"))
                self._stream.flush()
            except (OSError, ValueError):
                self.broken = True
                self._silence()
        return len(text)

    def flush(self) -> None:
        """Nothing: each write is flushed."""

    def isatty(self) -> bool:
        """Whether a person reads this."""
        try:
            return self._stream is not None and not self.broken and self._stream.isatty()
        except ValueError:
            return False  # closed

    def fileno(self) -> int:
        """The descriptor, for the terminal's size."""
        if self._stream is None:
            raise OSError("closed")
        return self._stream.fileno()

    def _silence(self) -> None:
        """Point the descriptor at nothing, so that the flush at exit does not complain again."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            pass  # closed for good


class Screen:
    """stdout, stderr, and a progress bar while there is progress to show on a terminal."""

    def __init__(self, bar: bool = True) -> None:
        self.out, self.err = Stream(sys.stdout), Stream(sys.stderr)
        self.live = bar and self.err.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        self._shared = self.live and self.out.isatty()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._told = False

    def put(self, text: str) -> None:
        """One line of the program or of the result, on stdout."""
        if self._progress is not None and self._shared:
            self._print(text)
        else:
            self.out.write(f"{text}\n")
        if self.out.broken and not self._told:
            self._told = True
            self.say("standard output is closed; the run goes on")

    def say(self, text: str, style: str = "") -> None:
        """One line of ours, on stderr."""
        if self._progress is not None:
            self._print(text, style)
        else:
            self.err.write(f"{text}\n")

    def over_echo(self) -> None:
        """Let the next line of ours stand over the ^C that a terminal echoes."""
        if self._progress is None and self.err.isatty():
            self.err.write("\r")

    def progress(self, label: str, step: int | None, total: int | None, facts: str) -> None:
        """Move the bar, which appears with the first call; without a step it only says what is awaited."""
        if not self.live:
            return
        count = "" if step is None else f"step {step}/{total or '?'}"
        if self._progress is None:
            self._progress = _new_progress(self.err)
            self._task = self._progress.add_task(label, total=None, facts="", count="")
            self._progress.start()
        assert self._task is not None
        self._progress.update(
            self._task, completed=step or 0, total=total, facts=facts, count=count, description=label
        )
        self._progress.refresh()

    def tick(self) -> None:
        """Let the bar's clock go on."""
        if self._progress is not None:
            self._progress.refresh()

    def close(self) -> None:
        """Leave the bar as it stands, and the cursor below it."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _print(self, text: str, style: str = "") -> None:
        assert self._progress is not None
        self._progress.console.print(
            text, style=style or None, markup=False, highlight=False, emoji=False, soft_wrap=True
        )


def _new_progress(stream: Stream) -> Progress:
    """A bar with step, facts and time; refreshed by us alone: no thread writes beside the run's lines."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    file: Any = stream
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[facts]}"),
        TimeElapsedColumn(),
        console=Console(file=file, force_terminal=True),
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
        expand=True,
    )
