"""The training as its events tell it: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from typing import Any

from rallypoint.run.screen import Screen
from rallypoint.told import number

_TIMINGS = ("_per_second", "runtime", "seconds", "epoch")
"""Endings of what the Trainer puts beside the metrics."""


class Training:
    """Shows the trainer's events and keeps the last of each kind."""

    def __init__(self, name: str, screen: Screen) -> None:
        self._name, self._screen = name, screen
        self.ended: dict[str, Any] | None = None
        self.started = False
        self.step: int | None = None
        self._total: int | None = None

    def begin(self) -> None:
        """The processes start; their libraries take a while."""
        self._screen.progress(self._name, None, None, "starting")

    def event(self, event: dict[str, Any]) -> None:
        """Show one event; a kind that is not known is left to the log."""
        step = event.get("step")
        if isinstance(step, int):
            self.step = step
        show = {
            "start": self._start,
            "log": self._log,
            "eval": self._eval,
            "save": self._save,
            "notice": self._notice,
            "end": self._end,
        }.get(event["event"])
        if show is not None:
            show(event)

    def interrupted(self) -> None:
        """A round was lost: what comes next starts again from a checkpoint."""
        self.started = False
        if self.step is not None:
            self._screen.progress(self._name, self.step, self._total, "starting again")

    def _start(self, event: dict[str, Any]) -> None:
        again = event.get("resumed_from")
        if again:
            self._screen.say(f"resumed from checkpoint-{again}")
        elif not self.started:
            samples = event.get("num_samples")
            what = f"training on {samples} samples" if samples else "training"
            self._screen.say(f"{what}, {event.get('max_steps', '?')} steps")
        self.started = True

    def _log(self, event: dict[str, Any]) -> None:
        step, total = event.get("step"), event.get("max_steps")
        if not isinstance(step, int):
            return
        facts = _facts(event)
        self._total = total if isinstance(total, int) else None
        self._screen.progress(self._name, step, self._total, facts)
        if not self._screen.live:
            self._screen.say(f"step {step}/{total or '?'}  {facts}".rstrip())

    def _eval(self, event: dict[str, Any]) -> None:
        text = numbers(event.get("metrics"))
        self._screen.say(f"evaluation at step {event.get('step', '?')}: {text}", "bold")

    def _save(self, event: dict[str, Any]) -> None:
        path = str(event.get("path") or f"checkpoint-{event.get('step')}")
        self._screen.say(f"saved {path.rpartition('/')[2]}", "dim")

    def _notice(self, event: dict[str, Any]) -> None:
        self._screen.say(f"notice: {event.get('text', '')}")

    def _end(self, event: dict[str, Any]) -> None:
        self.ended = event


def _facts(event: dict[str, Any]) -> str:
    """`loss 0.6100  54.2 samples/s  3:30 left`, as far as the event has them."""
    loss, speed, left = (number(event.get(key)) for key in ("loss", "samples_per_second", "seconds_left"))
    parts = [] if loss is None else [f"loss {loss:.4f}"]
    if speed is not None:
        parts.append(f"{speed:.1f} samples/s")
    if left is not None:
        parts.append(f"{clock(left)} left")
    return "  ".join(parts)


def numbers(metrics: object) -> str:
    """`accuracy 0.8015, f1 0.8601, loss 0.4480`: what was measured, without prefix, timings and counts."""
    found = {
        key.removeprefix("eval_"): value
        for key, value in (metrics.items() if isinstance(metrics, dict) else ())
        if isinstance(value, float) and not key.endswith(_TIMINGS)
    }
    ordered = sorted(found.items(), key=lambda item: item[0].endswith("loss"))  # what was asked for first
    return ", ".join(f"{key} {value:.4f}" for key, value in ordered)


def clock(seconds: float) -> str:
    """`0:42`, `3:30` or `1:02:03`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
