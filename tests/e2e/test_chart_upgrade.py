"""What an upgrade may change, and that it changes nothing when it must not; rollback after both."""

from __future__ import annotations

from typing import Any

import pytest

from ..cluster.progress import wait_until
from .kind import BY_NAME, KINDS, Kind
from .programs import HOLD, MEET
from .release import Prepare, Release, labels_of, settled, values, versions

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

SUSPENDABLE = [kind for kind in KINDS if kind.name != "statefulset"]
RUN_CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "image": ({"image": "rallypoint.test/python:2"}, "contract.json"),
    "nodes": ({"nodes": 3}, "contract.json"),
    "arguments": ({"script": {"inline": MEET + HOLD, "args": ["--more"]}}, "contract.json"),
    "environment": ({"env": {"A": "2"}}, "env"),
    "memory": ({"resources": {"memory": "128Mi"}}, "resources"),
    "kind": ({}, "kind"),
}


def running(prepare: Prepare, kind: Kind, name: str) -> tuple[Release, dict[str, Any]]:
    """A release whose ranks have met and hold, and its values."""
    release = prepare(kind, name)
    given = values(
        kind, MEET + HOLD, nodes=2, env={"A": "1"}, resources={"memory": "96Mi"}, labels={"team": "a"}
    )
    release.install(given)
    release.run.wait_for_ranks(2)
    return release, given


def uids(release: Release) -> dict[int, str]:
    return {index: pod["metadata"]["uid"] for index, pod in release.run.pods().items()}


def test_labels_change_by_upgrade_and_the_pods_stay(kind: Kind, prepare: Prepare) -> None:
    release, given = running(prepare, kind, f"label-{kind.name}")
    run, pods = release.run, uids(release)
    workload = f"{kind.resource}/{run.name}"
    release.upgrade({**given, "labels": {"team": "b", "stage": "x"}, "annotations": {"why": "test"}})
    for what in (workload, f"configmap/{run.name}-config", f"service/{run.name}-rdzv"):
        assert labels_of(run, what)["team"] == "b"
        assert labels_of(run, what)["stage"] == "x"
    assert labels_of(run, f"pod/{run.pods()[0]['metadata']['name']}")["team"] == "a"
    release.helm_or_fail("rollback", run.name, "1")
    assert labels_of(run, workload)["team"] == "a"
    assert "stage" not in labels_of(run, workload)
    assert uids(release) == pods
    assert release.revision() == "3 deployed"
    run.let_go()
    run.wait_until_done()


def test_an_upgrade_that_changes_the_run_changes_nothing(kind: Kind, prepare: Prepare) -> None:
    release, given = running(prepare, kind, f"refuse-{kind.name}")
    run = release.run
    before, pods = settled(run.namespace), uids(release)
    other = "pytorchjob" if kind.name == "job" else "job"
    for title, (changed, where) in RUN_CHANGES.items():
        change = changed or {"kind": other}
        result = release.send("upgrade", {**given, **change, "labels": {"team": "c"}})
        assert result.returncode == 1, title
        assert "name: another run lives under it" in result.stderr
        assert where in result.stderr, title
        assert "uninstall its release first" in result.stderr
    assert versions(run.namespace) == before
    assert uids(release) == pods
    assert release.revision() == "1 deployed"
    release.helm_or_fail("rollback", run.name, "1")
    assert uids(release) == pods
    run.let_go()
    run.wait_until_done()


@pytest.mark.parametrize("kind", SUSPENDABLE, ids=lambda kind: kind.name)
def test_a_suspended_job_says_so_and_starts_by_upgrade(kind: Kind, prepare: Prepare) -> None:
    release = prepare(kind, f"held-{kind.name}")
    given = values(kind, MEET + HOLD, nodes=2, suspend=True)
    if kind.name != "trainjob":
        given["ttl"] = "1h"
    assert "It is suspended" in release.install(given)
    passes, told = release.test()
    assert not passes
    assert "the job is suspended" in told
    assert release.run.pods() == {}
    more = {} if kind.name == "trainjob" else {"ttl": "2h"}
    release.upgrade({**given, "suspend": False, **more})
    release.run.wait_for_ranks(2)
    release.run.let_go()
    release.run.wait_until_done()


def test_install_by_upgrade_twice_changes_nothing(kind: Kind, prepare: Prepare) -> None:
    release = prepare(kind, f"twice-{kind.name}")
    run = release.run
    given = values(kind, MEET + HOLD, nodes=2)
    release.upgrade(given, "--install")
    run.wait_for_ranks(2)
    before = settled(run.namespace)
    release.upgrade(given, "--install")
    after = {what: version for what, version in versions(run.namespace).items() if "helm.release" not in what}
    assert after == {what: version for what, version in before.items() if "helm.release" not in what}
    assert release.revision() == "2 deployed"
    run.let_go()
    run.wait_until_done()


def test_a_statefulset_scaled_to_0_stays_there_after_an_upgrade(prepare: Prepare) -> None:
    release, given = running(prepare, BY_NAME["statefulset"], "scaled")
    run = release.run
    run.let_go()
    run.wait_until_done()
    run.kubectl("scale", "statefulset", run.name, "--replicas=0")
    wait_until("the pods to go", lambda: run.pods() == {}, 60)
    release.upgrade({**given, "labels": {"team": "b"}})
    asked = run.kubectl("get", "statefulset", run.name, "--output=jsonpath={.spec.replicas}")
    assert asked == "0"
    assert run.pods() == {}
