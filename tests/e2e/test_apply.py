"""`rallypoint apply` on a real cluster: start, again, refused, replaced, afresh."""

from __future__ import annotations

import json

import pytest

from ..cluster.progress import wait_until
from .kind import BY_NAME, Kind
from .programs import HOLD, MEET, STAYS
from .space import Space, contents
from .typed_fixture import Type, written  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

FAILS_ONCE = """\
import os, pathlib
mark = pathlib.Path(os.environ["RALLYPOINT_OUTPUT_DIR"]) / "tried"
if not mark.exists():
    mark.touch()
    raise ValueError("the first try")
"""


def results(text: str) -> set[str]:
    """The last word of every line."""
    return {line.rpartition(" ")[2] for line in text.splitlines()}


def test_apply_to_delete_leaves_nothing_but_the_output(kind: Kind, space: Space, written: Type) -> None:  # noqa: F811
    before = contents(space.namespace)
    job = written(kind, f"life-{kind.name}", MEET + "tell(total=total)\n", nodes=2)
    ended = job.apply("--wait", "--timeout", "3m")
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, f"{job.name}: done")
    assert ended.stderr.startswith(f"{job.name}: kind ")
    assert job.run.told(1)["total"] == 1
    state = job.state()
    assert (state["state"], state["nodes"]) == ("succeeded", 2)
    if kind.name == "statefulset":
        assert (
            job.run.get("statefulsets", "--selector", f"rallypoint.dev/job={job.name}")[0]["spec"]["replicas"]
            == 0
        )
    else:
        assert '"rank": 1' in job.verb("logs", "--rank", "1").stdout
    again = job.apply()
    assert (again.returncode, results(again.stdout)) == (0, {"unchanged"})
    assert job.verb("wait").returncode == 0
    gone = job.verb("delete")
    assert (gone.returncode, results(gone.stdout)) == (0, {"deleted"})
    wait_until("everything to go", lambda: contents(space.namespace) <= before, 30)
    assert json.loads((job.folder / "done.json").read_text())["name"] == job.name


def test_a_changed_run_changes_nothing_and_replace_takes_its_place(kind: Kind, written: Type) -> None:  # noqa: F811
    job = written(kind, f"other-{kind.name}", MEET + HOLD, nodes=2)
    assert job.apply().returncode == 0
    job.run.wait_for_ranks(2)
    pods = {pod["metadata"]["uid"] for pod in job.run.pods().values()}
    refused = job.apply("--set", "env.NEW=x", "--set", "nodes=3", "--set", "labels.team=a")
    assert refused.returncode == 2
    assert "\n  nodes: 2 -> 3\n" in refused.stderr
    assert "env[NEW]" in refused.stderr
    configs = job.run.get("configmaps", "--selector", f"rallypoint.dev/job={job.name}")
    assert ["team" in config["metadata"]["labels"] for config in configs] == [False, False]
    assert {pod["metadata"]["uid"] for pod in job.run.pods().values()} == pods
    (job.folder / "go").touch()
    (job.folder / "keep").touch()
    ended = job.apply("--set", "nodes=3", "--replace", "--wait", "--timeout", "3m", "-o", "json")
    assert ended.returncode == 0
    told = json.loads(ended.stdout)
    assert (told["state"], told["exit_code"], bool(told["objects"])) == ("succeeded", 0, True)
    assert (job.folder / "keep").exists()
    assert job.run.told(2)["world"] == 3


@pytest.mark.parametrize("name", ["job", "statefulset"])
def test_a_new_run_waits_for_pods_that_kubectl_left_ending(name: str, written: Type) -> None:  # noqa: F811
    kind = BY_NAME[name]
    old = written(kind, f"soon-{name}", MEET + STAYS, nodes=2, grace_period="30s")
    assert old.apply().returncode == 0
    wait_until("the old run", lambda: old.run.told(1).get("word") == "old", 60)
    old.run.kubectl("delete", f"{kind.resource}/{old.name}", f"service/{old.name}-rdzv", "--wait=false")
    old.run.kubectl("delete", "configmap", "--selector", f"rallypoint.dev/job={old.name}")
    new = written(kind, old.name, MEET + "tell(word='new')\n", nodes=2)
    ended = new.apply("--wait", "--timeout", "3m")
    assert ended.returncode == 0, ended.stderr
    assert "waiting for the pods of an earlier run to end" in ended.stderr
    assert new.run.told(1)["word"] == "new"


def test_a_failed_run_is_tried_again_by_replace_and_moved_aside_by_fresh(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "again", FAILS_ONCE, nodes=1, max_restarts=0)
    failed = job.apply("--wait", "--timeout", "3m")
    assert failed.returncode == 1
    assert "ValueError: the first try" in failed.stderr
    assert "--replace tries it again" in job.apply().stderr
    assert job.apply("--replace", "--wait", "--timeout", "3m").returncode == 0
    assert (job.folder / "failed.1.json").exists()
    assert job.apply("--fresh", "--wait", "--timeout", "3m").returncode == 1
    assert (job.folder.with_name("again.1") / "done.json").exists()


def test_labels_suspend_and_ttl_change_in_place(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "inplace", MEET + HOLD, nodes=1)
    assert job.apply("--set", "suspend=true").returncode == 0
    assert job.state()["state"] == "suspended"
    resumed = job.apply("--set", "ttl=2h", "--set", "labels.team=a")
    assert (resumed.returncode, results(resumed.stdout)) == (0, {"configured"})
    job.run.wait_for_ranks(1)
    (living,) = job.run.get("jobs", "--selector", "team=a")
    assert living["spec"]["ttlSecondsAfterFinished"] == 7200


def test_dry_run_on_the_server_changes_nothing(kind: Kind, space: Space, written: Type) -> None:  # noqa: F811
    before = contents(space.namespace)
    job = written(kind, f"dry-{kind.name}", MEET)
    ended = job.apply("--dry-run=server")
    assert ended.returncode == 0
    assert "checked (server dry run)" in ended.stdout
    assert contents(space.namespace) == before


def test_a_namespace_that_is_not_there_is_wrong_input(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "lost", MEET)
    job.namespace = "nowhere"
    ended = job.apply()
    assert ended.returncode == 2
    assert "namespace 'nowhere': is not in this cluster" in ended.stderr


def test_rights_that_the_namespace_refuses_are_told_before_anything_is_sent(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "rights", MEET)
    ended = job.apply("--set", "security.user=0")
    assert ended.returncode == 2
    assert "its Pod Security level keeps these pods out" in ended.stderr
    assert job.verb("delete").stdout == ""


def test_a_field_of_another_manager_is_not_taken_over(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "shared", MEET + HOLD, nodes=1)
    assert job.apply("--set", "suspend=true", "--set", "ttl=1h").returncode == 0
    patch = '{"spec": {"ttlSecondsAfterFinished": 60}}'
    job.run.kubectl("patch", "job", job.name, "--type=merge", "--field-manager=other", f"--patch={patch}")
    refused = job.apply("--set", "suspend=true", "--set", "ttl=1h")
    assert refused.returncode == 1
    assert ".spec.ttlSecondsAfterFinished (other)" in refused.stderr
    assert job.apply("--set", "suspend=true", "--set", "ttl=1h", "--force-conflicts").returncode == 0
