"""`rallypoint wait` on a real cluster: each end, each kind, over a lost API server."""

from __future__ import annotations

import pytest

from .cli import begun
from .kind import BY_NAME, Kind
from .programs import HOLD, MEET
from .typed_fixture import Type, written  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]


def test_wait_knows_time_out_and_end_of_every_kind(kind: Kind, written: Type) -> None:  # noqa: F811
    job = written(kind, f"wait-{kind.name}", MEET + HOLD, nodes=2)
    assert job.apply().returncode == 0
    job.run.wait_for_ranks(2)
    early = job.verb("wait", "--timeout", "2s")
    assert (early.returncode, early.stdout) == (124, "")
    job.run.let_go()
    done = job.verb("wait", "--timeout", "2m")
    assert (done.returncode, done.stdout) == (0, f"{job.name}: done\n")
    if kind.name == "statefulset":  # it changes nothing
        assert len(job.run.pods()) == 2


def test_a_lost_pod_is_no_end(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["statefulset"], "wait-lost", MEET + HOLD, nodes=2)
    assert job.apply().returncode == 0
    job.run.wait_for_ranks(2)
    waiting = begun("wait", job.name, "--namespace", job.namespace, "--timeout", "4m")
    job.run.kubectl("delete", "pod", job.run.pods()[1]["metadata"]["name"], "--grace-period=0", "--force")
    job.run.wait_for_ranks(2, rounds_before=1)
    assert waiting.poll() is None
    job.run.let_go()
    out, _ = waiting.communicate(timeout=120)
    assert (waiting.returncode, out) == (0, f"{job.name}: done\n")


def test_a_new_pod_of_a_finished_statefulset_changes_nothing(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["statefulset"], "wait-idle", MEET + "tell()\n", nodes=1)
    assert job.apply().returncode == 0
    assert job.verb("wait", "--timeout", "2m").returncode == 0
    pod = job.run.pods()[0]["metadata"]["name"]
    job.run.kubectl("delete", "pod", pod, "--grace-period=0", "--force")
    assert job.verb("wait", "--timeout", "2m").returncode == 0


def test_a_job_deleted_meanwhile_has_failed(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "wait-gone", MEET + HOLD, nodes=1)
    assert job.apply().returncode == 0
    job.run.wait_for_ranks(1)
    waiting = begun("wait", job.name, "--namespace", job.namespace)
    assert waiting.stderr is not None
    waiting.stderr.readline()
    assert job.verb("delete").returncode == 0
    _, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, f"{job.name}: was deleted before its end" in err) == (1, True)
