"""How a run ended, in words: the result on stdout, everything else on stderr."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from rallypoint.run.output import Output
from rallypoint.run.screen import Screen
from rallypoint.run.training import Training, clock, numbers

_RANK = re.compile(r"rank (\d+) on node (\d+): ")
"""How the launcher begins the message of a rank; wrong input is nobody's rank."""
LONGEST_TRACEBACK = 20  # lines; the whole of it is in the log


class Outcome(NamedTuple):
    """The end of a run."""

    name: str
    code: int
    stopped_by: int | None
    said: dict[str, Any]
    """The termination message of the launcher that tells how it ended; empty when none does."""
    logs: Path
    seconds: float
    restarts: int


def finished_before(output: Output, marker: dict[str, Any], screen: Screen) -> None:
    """Tell that there is nothing to do, with what came of it then."""
    screen.say(
        f"{output.shown}: this job is done already ({marker.get('time', 'earlier')}); --fresh trains it again"
    )
    _results(output, None, screen)


def took_up_again(output: Output, screen: Screen) -> None:
    """Tell what an earlier run left that this one goes on from."""
    failed = output.forgive()
    if failed is not None:
        where = "from its newest checkpoint" if output.has_checkpoint() else "from the start"
        why = str(failed.get("message") or "unknown")
        screen.say(f"the last run failed ({_first_line(why)}); trying again {where}")
    elif output.has_checkpoint():
        screen.say("an earlier run left a checkpoint; going on from there (--fresh would start over)")


def success(outcome: Outcome, output: Output | None, training: Training, screen: Screen) -> None:
    """Tell the metrics, where the model lies, how long it took and what went wrong on the way."""
    again = f", {outcome.restarts} launcher restart{'s' * (outcome.restarts > 1)}" if outcome.restarts else ""
    steps = f", {training.step} steps" if training.step else ""
    screen.put(f"{outcome.name}: done in {clock(outcome.seconds)}{steps}{again}")
    if output is not None:
        _results(output, training.ended, screen)


def _results(output: Output, ended: dict[str, Any] | None, screen: Screen) -> None:
    """The metrics and the model's folder, as far as there are any."""
    metrics = output.metrics() or (ended or {}).get("metrics")
    text = numbers(metrics)
    if text:
        screen.put(f"  {text}")
    if (output.path / "model").is_dir():
        screen.put(f"  model: {output.shown}/model")


def failure(outcome: Outcome, output: Output | None, screen: Screen) -> None:
    """Tell what went wrong, once, and where the rest of it can be read."""
    if outcome.code == 2:
        screen.say(_RANK.sub("", str(outcome.said.get("message") or "wrong input; see the log"), count=1))
        return
    if outcome.stopped_by is not None and outcome.code != 1:
        left = output is not None and output.has_checkpoint()
        more = "; the same command goes on from its newest checkpoint" if left else ""
        screen.say(f"{outcome.name}: stopped after {clock(outcome.seconds)}{more}")
        return
    said = outcome.said
    screen.say(f"{outcome.name}: failed after {clock(outcome.seconds)}: {_where(said)}", "bold red")
    for line in _end_of(str(said.get("traceback") or "")):
        screen.say(f"  {line}")
    log = outcome.logs / f"node-{said.get('node') or 0}.log"
    screen.say(f"full log: {_shown(log)}")


def _where(said: dict[str, Any]) -> str:
    """The message, which names rank and node when the launcher knows them."""
    return str(said.get("message") or "the launchers left no word of why")


def _end_of(traceback: str) -> list[str]:
    """The last lines of a traceback, without torchrun's prefix."""
    lines = traceback.rstrip().splitlines()
    return (["..."] if len(lines) > LONGEST_TRACEBACK else []) + lines[-LONGEST_TRACEBACK:]


def _first_line(text: str) -> str:
    return next(iter(text.splitlines()), "")


def _shown(path: Path) -> str:
    """The path from here when it lies here, else the whole of it."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
