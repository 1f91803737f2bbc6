"""`rallypoint status` on a real cluster: why jobs wait, and how far they are."""

from __future__ import annotations

import json

import pytest

from ..cluster.progress import wait_until
from .cli import Typed, rallypoint
from .kind import BY_NAME, Kind
from .programs import MEET, WRONG
from .space import create
from .typed_fixture import Type, written  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

STEPS = """\
import os, time
from pathlib import Path
for step in range(1, 4):
    print('rallypoint: {"event": "log", "step": %d, "max_steps": 3, "loss": 0.25}' % step, flush=True)
while not (Path(os.environ["RALLYPOINT_OUTPUT_DIR"]) / "go").exists():
    time.sleep(0.05)
"""


def wait_for_why(job: Typed, words: str, seconds: float = 60) -> dict[str, object]:
    """The job as it is once its reason has the words."""
    wait_until(f"{job.name} to say {words!r}", lambda: words in job.state()["why"], seconds)
    return job.state()


def test_a_job_that_does_not_fit_says_what_is_missing(kind: Kind, written: Type) -> None:  # noqa: F811
    job = written(kind, f"big-{kind.name}", MEET, nodes=2, resources={"cpu": "400"})
    assert job.apply().returncode == 0
    state = wait_for_why(job, "Insufficient cpu")
    assert (state["state"], [pod["phase"] for pod in state["pods"]]) == ("pending", ["pending"] * 2)


def test_an_image_that_cannot_be_pulled_is_named(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "image", MEET, nodes=1)
    assert job.apply("--set", "image=rallypoint.test/nowhere:1").returncode == 0
    assert wait_for_why(job, "image rallypoint.test/nowhere:1: cannot be pulled")["state"] == "pending"


@pytest.mark.parametrize("name", ["job", "jobset", "trainjob", "pytorchjob"])
def test_a_queued_job_tells_what_its_queue_says(name: str, written: Type) -> None:  # noqa: F811
    job = written(BY_NAME[name], f"queue-{name}", MEET, scheduling={"queue": "nowhere"})
    assert job.apply().returncode == 0
    assert wait_for_why(job, "LocalQueue nowhere doesn't exist")["state"] == "queued"


@pytest.mark.parametrize("name", ["job", "jobset", "trainjob", "pytorchjob"])
def test_a_suspended_job_is_suspended(name: str, written: Type) -> None:  # noqa: F811
    job = written(BY_NAME[name], f"held-{name}", MEET, suspend=True)
    assert job.apply().returncode == 0
    assert job.state()["state"] == "suspended"


def test_a_quota_that_keeps_pods_out_is_told(kind: Kind, written: Type) -> None:  # noqa: F811
    job = written(kind, f"quota-{kind.name}", MEET)
    quota = {"namespace": job.namespace, "name": "none"}
    create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": quota, "spec": {"hard": {"pods": "0"}}})
    try:
        assert job.apply().returncode == 0
        assert wait_for_why(job, "exceeded quota: none")["state"] == "pending"
    finally:
        job.run.kubectl("delete", "resourcequota", "none")


def test_step_and_loss_are_shown_while_it_runs(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "steps", STEPS, nodes=1)
    assert job.apply().returncode == 0
    wait_until("progress", lambda: job.state()["progress"] is not None, 60)
    assert job.state()["progress"] | {"step": 3, "max_steps": 3, "loss": 0.25} == job.state()["progress"]
    shown = rallypoint("status", "--namespace", job.namespace).stdout
    assert "step 3/3  loss 0.2500" in shown
    (job.folder / "go").touch()
    watched = job.verb("status", "--watch")
    assert (watched.returncode, f"{job.name}: succeeded" in watched.stdout) == (0, True)


def test_a_failed_job_shows_the_rank_of_every_kind(kind: Kind, written: Type) -> None:  # noqa: F811
    job = written(kind, f"blame-{kind.name}", MEET + WRONG, nodes=2)
    assert job.apply().returncode == 0
    waited = job.verb("wait", "--timeout", "2m", "-o", "json")
    assert (waited.returncode, json.loads(waited.stdout)["state"]) == (1, "failed")
    state = job.state()
    assert (state["state"], "rank 1 on node 1" in state["why"]) == ("failed", True)
    told = [pod["ended"] for pod in state["pods"] if pod["ended"]]
    assert {(one["code"], one["node"]) for one in told if "node" in one} == {(2, 1)}


def test_all_namespaces_are_listed_with_theirs(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "anywhere", MEET, suspend=True)
    assert job.apply().returncode == 0
    found = json.loads(rallypoint("status", "-A", "-o", "json").stdout)["jobs"]
    assert (job.namespace, job.name) in {(one["namespace"], one["name"]) for one in found}
