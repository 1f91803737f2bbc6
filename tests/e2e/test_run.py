"""A job from `render` to its end, on each kind."""

from __future__ import annotations

import json

import pytest

from ..cluster.progress import wait_until
from .conftest import Start
from .kind import Kind
from .programs import HOLD, MEET
from .run import Run
from .space import Space, contents

pytestmark = [pytest.mark.cluster, pytest.mark.core, pytest.mark.timeout(600, func_only=True)]


def lines(run: Run, index: int) -> list[dict[str, object]]:
    """What the pod's program said in its log."""
    log = run.log(run.pods()[index])
    return [json.loads(line[line.index("{") :]) for line in log.splitlines() if '"rank":' in line]


def test_a_job_runs_to_its_end_and_leaves_nothing(kind: Kind, space: Space, start: Start) -> None:
    before = contents(space.namespace)
    run = start(kind, f"hello-{kind.name}", MEET + HOLD)
    run.wait_for_ranks(3)
    pods = run.pods()
    assert run.endpoints() == [pods[0]["status"]["podIP"]]
    run.let_go()
    run.wait_until_done()
    wanted = {"world": 3, "master": f"{run.name}-rdzv", "total": 3, "round": 0}
    for index in range(3):
        assert lines(run, index) == [{"rank": index, "node": str(index), **wanted}]
    assert json.loads((run.folder / "done.json").read_text())["name"] == run.name
    assert uids(run.pods()) == uids(pods)
    run.delete()
    wait_until("everything to go", lambda: contents(space.namespace) <= before, 60)


def uids(pods: dict[int, dict[str, dict[str, str]]]) -> dict[int, str]:
    return {index: pod["metadata"]["uid"] for index, pod in pods.items()}
