"""`rallypoint delete` on a real cluster: a running job, its claims, and rights that are missing."""

from __future__ import annotations

import json

import pytest

from ..cluster.kubectl import kubectl_or_fail
from .cli import rallypoint
from .kind import BY_NAME, Kind
from .programs import HOLD, MEET
from .space import Space, contents, create
from .typed_fixture import Type, written  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]


def test_a_running_job_is_gone_when_delete_returns(kind: Kind, space: Space, written: Type) -> None:  # noqa: F811
    before = contents(space.namespace)
    job = written(kind, f"stop-{kind.name}", MEET + HOLD, nodes=2)
    assert job.apply().returncode == 0
    job.run.wait_for_ranks(2)
    assert job.verb("delete").returncode == 0
    left = contents(space.namespace) - before
    assert {name for name in left if not name.startswith(("endpointslice", "workload"))} == set()
    again = job.verb("delete")
    assert (again.returncode, "nothing to delete" in again.stderr) == (0, True)


def test_claims_stay_unless_they_are_asked_for(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "claims", MEET, suspend=True)
    grown = ("--set", "cache.pvc=claims-cache", "--set", "cache.size=1Gi")
    assert job.apply(*grown).returncode == 0
    kept = job.verb("delete")
    assert "keeping what holds data: claims-cache" in kept.stderr
    assert job.run.get("pvc", "--selector", f"rallypoint.dev/job={job.name}")
    gone = json.loads(job.verb("delete", "--pvc", "-o", "json").stdout)
    assert (gone["deleted"], gone["kept"]) == (["persistentvolumeclaim/claims-cache"], [])
    assert job.run.get("pvc", "--selector", f"rallypoint.dev/job={job.name}") == []


def test_the_rights_of_the_page_are_enough_and_less_is_told(space: Space, written: Type, tmp_path) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "rbac", MEET + HOLD, nodes=1)
    names = {"namespace": space.namespace, "name": "user"}
    kubectl_or_fail("create", "serviceaccount", "user", "--namespace", space.namespace)
    token = kubectl_or_fail("create", "token", "user", "--namespace", space.namespace).strip()
    config = json.loads(kubectl_or_fail("config", "view", "--raw", "--output=json"))
    config["users"] = [{"name": config["users"][0]["name"], "user": {"token": token}}]
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))

    def as_user(*words: str):
        return rallypoint(*words, "--namespace", space.namespace, KUBECONFIG=str(path))

    refused = as_user("status")
    assert refused.returncode == 1
    assert f"'system:serviceaccount:{space.namespace}:user' may not list jobs.batch" in refused.stderr
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": names,
        "rules": page_rules(),
    }
    subject = {"kind": "ServiceAccount", **names}
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "user"}
    binding = {**role, "kind": "RoleBinding", "subjects": [subject], "roleRef": ref}
    binding.pop("rules")
    create(role, binding)
    assert as_user("apply", str(job.file)).returncode == 0
    job.run.wait_for_ranks(1)
    job.run.let_go()
    for words in (["wait", job.name], ["status", job.name], ["logs", job.name], ["delete", job.name]):
        ended = as_user(*words)
        assert ended.returncode == 0, ended.stderr


def page_rules() -> list[dict[str, object]]:
    """The rules of docs/cluster.md."""
    from pathlib import Path

    from ruamel.yaml import YAML

    page = Path(__file__).parents[2].joinpath("docs", "cluster.md").read_text()
    return list(YAML(typ="safe").load(page.split("```yaml\n")[1].split("```")[0])["rules"])
