"""One `rallypoint run`, from the checked job to the exit code."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

from rallypoint.contract import Place, contract
from rallypoint.errors import InputError, RallypointError
from rallypoint.loading import Loaded
from rallypoint.quantity import seconds
from rallypoint.run.agent import Agent, environment_of
from rallypoint.run.environment import environment_notices, node_environments
from rallypoint.run.folder import RunFolder
from rallypoint.run.output import DONE, Output, run_id
from rallypoint.run.plan import ignored, plan_line
from rallypoint.run.report import Outcome, failure, finished_before, success, took_up_again
from rallypoint.run.requirements import require_libraries, require_room, require_sound_input
from rallypoint.run.screen import Screen
from rallypoint.run.story import Story
from rallypoint.run.supervisor import Supervisor, Watch
from rallypoint.run.training import Training
from rallypoint.spec import Job


def run(loaded: Loaded, fresh: bool = False, verbose: bool = False) -> int:
    """The exit code of the job on this machine: 0, 1, 2, or 128 and the signal that ended it.

    Raises: InputError for what keeps it from starting; RallypointError for this machine's own trouble.
    """
    job = loaded.job
    require_libraries(job)
    require_room(job)
    require_sound_input(loaded)
    environments = node_environments(job, os.environ)
    screen = Screen(bar=not verbose)
    output = Output(job.name) if job.train is not None or job.output is not None else None
    for text in [*environment_notices(job), *ignored(job)]:
        screen.say(f"notice: {text}")
    screen.say(plan_line(job, output.shown if output else None))
    if output is not None:
        if _is_over(loaded, output, screen, fresh):
            return 0
        output.prepare()
        took_up_again(output, screen)
    return _train(loaded, output, environments, screen, verbose)


def _is_over(loaded: Loaded, output: Output, screen: Screen, fresh: bool) -> bool:
    """Whether this very run is finished already; with `fresh` what is there is moved aside first."""
    if fresh:
        aside = output.move_aside()
        if aside:
            screen.say(f"the earlier output is now {aside}")
        return False
    marker = output.marker(DONE)
    if marker is None:
        return False
    document = contract(loaded.job, Place("", str(output.path), ""), loaded.scripts)
    if marker.get("run_id") == run_id(document):
        finished_before(output, marker, screen)
        return True
    screen.say(
        f"{output.shown}: holds a finished run of another version of this job; --fresh would start over"
    )
    return False


def _train(
    loaded: Loaded, output: Output | None, environments: list[dict[str, str]], screen: Screen, verbose: bool
) -> int:
    """Start the launchers, see them through, and tell how it went."""
    job, folder = loaded.job, RunFolder(loaded, output.path if output else None)
    logs = output.logs if output else folder.path
    grace = float(seconds(job.grace_period))
    watch = Watch(grace, folder.path, output.lock if output else None)
    training = Training(job.name, screen)
    story = Story(screen, training, job.nodes, verbose)
    if job.train is not None:
        training.begin()
    began = time.monotonic()
    try:
        supervisor = Supervisor(_agents(folder, logs, environments), watch, story, screen, grace)
        supervisor.run()
        outcome = _outcome(job, folder, supervisor, logs, time.monotonic() - began)
        story.end(failed=outcome.code in (1, 2))
        screen.close()
        if outcome.code == 0:
            success(outcome, output, training, screen)
        else:
            if output is None:
                outcome = outcome._replace(logs=_kept(folder, job.name))
            failure(outcome, output, screen)
        return outcome.code
    finally:
        screen.close()
        watch.close()


def _agents(folder: RunFolder, logs: Path, environments: list[dict[str, str]]) -> list[Agent]:
    """One agent for each node, not started yet."""
    try:
        return [
            Agent(
                node,
                folder.contract,
                environment_of(
                    common,
                    RALLYPOINT_TERMINATION_LOG=folder.termination_log(node),
                    RALLYPOINT_TEMPORARY=folder.path,
                ),
                logs / f"node-{node}.log",
            )
            for node, common in enumerate(environments)
        ]
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be written ({error.strerror})") from error


def _outcome(job: Job, folder: RunFolder, supervisor: Supervisor, logs: Path, took: float) -> Outcome:
    """How the run ended: the first node's word that failed, else what the signal or the codes say."""
    codes = supervisor.codes
    words = [folder.last_words(node) for node in range(job.nodes)]
    worst = next((code for code in (2, 1) if code in codes), None)
    if supervisor.stopped_by is not None and 0 not in codes:
        code = worst or 128 + supervisor.stopped_by
    else:
        code = worst or 0
    said: dict[str, Any] = next((word for word in words if word.get("code") == code), {})
    if supervisor.gave_up:
        said = {**said, "message": supervisor.gave_up}
    return Outcome(job.name, code, supervisor.stopped_by, said, logs, took, supervisor.restarts)


def _kept(folder: RunFolder, name: str) -> Path:
    """Where the logs of a failed run without output are now: the temporary folder is about to go."""
    aside = folder.path.with_name(f"{folder.path.name}-logs")
    try:
        aside.mkdir()
        for log in folder.path.glob("node-*.log"):
            shutil.move(log, aside / log.name)
    except OSError as error:
        raise RallypointError(f"{name}: the logs cannot be kept in {aside} ({error.strerror})") from error
    return aside
