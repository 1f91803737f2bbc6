"""Installs that fail: in words, and so that the next `helm upgrade --install` takes over."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ..cluster.kubectl import kubectl_or_fail
from ..cluster.progress import wait_until
from .kind import BY_NAME, Kind
from .programs import MEET
from .release import CHART, Prepare, values
from .space import Space, contents, create, document

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

TELL = f"{MEET}tell()\n"
RUNTIMES = "count/trainingruntimes.trainer.kubeflow.org"


@contextmanager
def quota(space: Space, resource: str) -> Iterator[None]:
    """None of the resource may be created in the namespace."""
    hard = {"hard": {resource: "0"}}
    create(document("ResourceQuota", {"name": "none", "namespace": space.namespace}, hard))
    where = ("resourcequota/none", "--namespace", space.namespace)
    shown = "--output=jsonpath={.status.hard}"
    wait_until("the quota to hold", lambda: kubectl_or_fail("get", *where, shown) != "", 30)
    try:
        yield
    finally:
        kubectl_or_fail("delete", *where, "--timeout=30s")


def chart_with(folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of the chart with one text changed."""
    copy = folder / "changed"
    shutil.copytree(CHART, copy)
    text = (copy / file).read_text()
    assert old in text
    (copy / file).write_text(text.replace(old, new))
    return copy


def releases(begun: Any) -> list[str]:
    """Everything that helm knows of in the namespace, failed releases too."""
    return [item["name"] for item in json.loads(begun.helm_or_fail("list", "--all", "--output=json"))]


def test_a_kind_that_the_cluster_lacks_is_refused_in_words(
    space: Space,
    prepare: Prepare,
    tmp_path: Path,
) -> None:
    before = contents(space.namespace)
    chart = chart_with(tmp_path, "files/tables.json", "jobset.x-k8s.io/v1alpha2", "jobset.x-k8s.io/v9")
    release = prepare(BY_NAME["jobset"], "lacking", chart)
    result = release.send("install", values(release.run.kind, TELL))
    assert result.returncode == 1
    assert (
        "kind: this cluster has no JobSet (jobset.x-k8s.io/v9); have its operator installed" in result.stderr
    )
    assert releases(release) == []
    assert contents(space.namespace) == before


def test_values_that_are_wrong_leave_nothing_and_the_next_ones_install(
    space: Space,
    prepare: Prepare,
) -> None:
    before = contents(space.namespace)
    release = prepare(BY_NAME["job"], "mended")
    good = values(release.run.kind, TELL, nodes=1)
    for wrong in ({"nodes": 0}, {"nodess": 1}, {"grace_period": "1s"}):
        result = release.send("upgrade", {**good, **wrong}, "--install")
        assert result.returncode == 1
        assert next(iter(wrong)) in result.stderr
    assert releases(release) == []
    assert contents(space.namespace) == before
    release.upgrade(good, "--install")
    release.run.wait_until_done()


@pytest.mark.parametrize("name", ["job", "trainjob"])
def test_an_install_that_failed_halfway_is_taken_over(name: str, space: Space, prepare: Prepare) -> None:
    release = prepare(BY_NAME[name], f"half-{name}")
    given = values(release.run.kind, TELL, nodes=2)
    with quota(space, "services"):
        result = release.send("install", given)
        assert result.returncode == 1
        assert "exceeded quota" in result.stderr
        assert release.revision() == "1 failed"
    release.upgrade(given, "--install")
    release.run.wait_until_done()
    assert release.revision() == "2 deployed"


def test_a_runtime_that_could_not_be_made_is_made_by_the_next_upgrade(
    space: Space,
    prepare: Prepare,
) -> None:
    before = contents(space.namespace)
    release = prepare(BY_NAME["trainjob"], "runtimeless")
    given = values(release.run.kind, TELL, nodes=1)
    with quota(space, RUNTIMES):
        result = release.send("install", given)
        assert result.returncode == 1
        assert "exceeded quota" in result.stderr
    release.upgrade(given, "--install")
    release.run.wait_until_done()
    release.uninstall()
    wait_until("everything to go", lambda: contents(space.namespace) <= before, 60)


def test_a_workload_that_was_refused_may_be_mended(prepare: Prepare) -> None:
    release = prepare(BY_NAME["job"], "unpatched")
    given = values(release.run.kind, TELL, nodes=1)
    result = release.send("install", {**given, "pod_patch": {"dnsPolicy": "Wrong"}})
    assert result.returncode == 1
    assert "dnsPolicy" in result.stderr
    release.upgrade(given, "--install")
    release.run.wait_until_done()


@pytest.mark.parametrize("name", ["job", "trainjob"])
def test_an_atomic_install_that_fails_leaves_nothing(name: str, space: Space, prepare: Prepare) -> None:
    before = contents(space.namespace)
    release = prepare(BY_NAME[name], f"atomic-{name}")
    with quota(space, "services"):
        assert release.send("install", values(release.run.kind, TELL), "--atomic").returncode == 1
    wait_until("everything to go", lambda: contents(space.namespace) <= before, 60)
    assert releases(release) == []


def test_a_job_that_makes_no_progress_fails_the_test_in_words(
    kind: Kind,
    prepare: Prepare,
    tmp_path: Path,
) -> None:
    chart = chart_with(tmp_path, "templates/_test.tpl", '"240"', '"20"')
    release = prepare(kind, f"stuck-{kind.name}", chart)
    apart = {
        "labelSelector": {"matchLabels": {"rallypoint.dev/job": release.run.name}},
        "topologyKey": "kubernetes.io/hostname",
    }
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    release.install(values(kind, TELL, nodes=2, scheduling={"affinity": affinity}))
    passes, told = release.test()
    assert not passes
    assert "failed: no progress in 20 s: " in told
    assert "waiting for node 1" in told or "the pod of node 0 is Pending (0/1 nodes are available" in told
