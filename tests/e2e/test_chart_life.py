"""A release from install to uninstall, on each kind, in a namespace with the level `restricted`."""

from __future__ import annotations

import json
import re

import pytest

from ..cluster.progress import wait_until
from .kind import Kind
from .programs import HOLD, MEET
from .release import Prepare, values
from .space import Space, contents

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]


def test_a_release_runs_to_its_end_and_leaves_nothing(kind: Kind, space: Space, prepare: Prepare) -> None:
    before = contents(space.namespace)
    release = prepare(kind, f"chart-{kind.name}")
    run = release.run
    notes = release.install(values(kind, MEET + HOLD, nodes=2))
    assert f"helm test -n {run.namespace} {run.name}" in notes
    run.wait_for_ranks(2)
    passes, told = release.test()
    assert passes, told
    assert "progress: node 0 says: round 1: " in told
    run.let_go()
    run.wait_until_done()
    assert json.loads((run.folder / "done.json").read_text())["name"] == run.name
    passes, told = release.test()
    assert passes, told
    assert "done: " in told
    release.uninstall()
    wait_until("everything to go", lambda: contents(space.namespace) <= before, 60)


def test_a_failed_run_fails_the_test_in_the_launchers_words(kind: Kind, prepare: Prepare) -> None:
    release = prepare(kind, f"fails-{kind.name}")
    run = release.run
    release.install(values(kind, "raise SystemExit(2)\n", nodes=2))
    wait_until("the mark of failure", (run.folder / "failed.json").exists, 120)
    passes, told = release.test()
    assert not passes
    assert "failed: " in told
    assert re.search(r"rank (\d) on node \1: ended with 2", told)
    leftovers = run.kubectl("get", "pods,roles,rolebindings,serviceaccounts", "--output=name")
    assert f"{run.name}-progress" not in leftovers


def test_a_release_runs_again_under_its_name(kind: Kind, prepare: Prepare) -> None:
    release = prepare(kind, f"again-{kind.name}")
    for word in ("first", "second"):
        release.install(values(kind, f"{MEET}tell(word='{word}')\n", nodes=2))
        release.run.wait_until_done()
        wait_until("the words", lambda word=word: release.run.told(1)["word"] == word, 30)  # type: ignore[misc]
        release.uninstall()
