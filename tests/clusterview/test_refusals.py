"""What a cluster refuses, in words, with the exit code; the texts are those of a real API server 1.34."""

import pytest

from .api import status
from .verb import JOB, verb

JOBS = "/apis/batch/v1/namespaces/research/jobs"
CONFIG = "/api/v1/namespaces/research/configmaps/tiny-config"

FORBIDDEN = (
    'configmaps "tiny-config" is forbidden: User "jane" cannot patch resource "configmaps" in API group "" '
    'in the namespace "research"'
)
QUOTA = (
    'configmaps "tiny-config" is forbidden: exceeded quota: few, requested: count/configmaps=1, '
    "used: count/configmaps=1, limited: count/configmaps=1"
)
WEBHOOK = 'admission webhook "policy.acme.com" denied the request: image must come from registry.acme.com'
BROKEN = (
    'Internal error occurred: failed calling webhook "policy.acme.com": failed to call webhook: '
    'Post "https://p.acme.svc:443/v?timeout=10s": dial tcp 10.96.4.2:443: connect: connection refused'
)
CONFLICT = {
    "causes": [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "kubectl-edit" using v1',
            "field": ".metadata.labels.team",
        }
    ]
}

CASES = {
    "forbidden": (
        403,
        status(403, FORBIDDEN, "Forbidden"),
        1,
        ["'research'", "'jane' may not patch configmaps"],
    ),
    "quota": (
        403,
        status(403, QUOTA, "Forbidden"),
        1,
        ["exceeds the quota 'few'", "limited: count/configmaps=1"],
    ),
    "webhook": (
        403,
        status(403, WEBHOOK, "Forbidden"),
        2,
        ["webhook policy.acme.com refuses it: image must"],
    ),
    "webhook 400": (
        400,
        status(400, WEBHOOK, "BadRequest"),
        2,
        ["webhook policy.acme.com refuses it: image must"],
    ),
    "webhook down": (
        500,
        status(500, BROKEN, "InternalError"),
        1,
        ["webhook policy.acme.com does not answer", "refused"],
    ),
    "credentials": (401, status(401, "Unauthorized", "Unauthorized"), 1, ["context 'here'", "log in again"]),
    "namespace": (
        404,
        status(404, 'namespaces "research" not found', "NotFound", name="research", kind="namespaces"),
        2,
        ["namespace 'research': is not in this cluster", "kubectl create namespace research"],
    ),
    "terminating": (
        403,
        status(
            403,
            'configmaps "tiny-config" is forbidden: unable to create new content in namespace '
            "research because it is being terminated",
            "Forbidden",
        ),
        2,
        ["is being deleted"],
    ),
    "conflict": (
        409,
        status(409, "Apply failed with 1 conflict", "Conflict", **CONFLICT),
        1,
        [".metadata.labels.team (kubectl-edit)", "--force-conflicts"],
    ),
    "invalid": (
        422,
        status(422, 'ConfigMap "tiny-config" is invalid: data: Forbidden: field is immutable', "Invalid"),
        2,
        ["configmap/tiny-config: the cluster refuses it", "field is immutable"],
    ),
    "busy": (
        429,
        status(429, "too many requests", "TooManyRequests"),
        1,
        ["too much to do", "try again later"],
    ),
    "down": (503, "apiserver is shutting down", 1, ["cannot answer now (503", "try again later"]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_refusal_says_what_and_what_to_do(case, api, capsys, tmp_path):
    code, body, exit_code, words = case
    (tmp_path / "job.yaml").write_text(JOB)
    api.put("PATCH", CONFIG, body, code)
    ended = verb(capsys, "apply", str(tmp_path / "job.yaml"))
    assert ended.code == exit_code
    assert [word for word in words if word not in ended.err] == []
    assert {call.query["dryRun"] for call in api.calls if call.method == "PATCH"} == {"All"}
    assert ended.out == ""


@pytest.mark.parametrize(
    ("kind", "resource"),
    [
        ("JobSet", "jobsets.jobset.x-k8s.io"),
        ("PyTorchJob", "pytorchjobs.kubeflow.org"),
        ("TrainJob", "trainjobs.trainer.kubeflow.org"),
    ],
)
def test_a_kind_that_is_not_installed_is_named_before_anything_is_sent(kind, resource, api, capsys, tmp_path):
    (tmp_path / "job.yaml").write_text(JOB)
    ended = verb(capsys, "apply", str(tmp_path / "job.yaml"), "--kind", kind)
    assert ended.code == 2
    assert f"kind {kind}: this cluster does not know {resource}" in ended.err
    assert api.said("PATCH") == []


def test_status_without_the_right_to_list_any_kind_says_so(api, capsys):
    text = 'jobs.batch is forbidden: User "jane" cannot list resource "jobs" in API group "batch"'
    api.put("GET", "*", status(403, text, "Forbidden"), 403)
    ended = verb(capsys, "status")
    assert (ended.code, "'jane' may not list jobs.batch" in ended.err) == (1, True)


@pytest.mark.parametrize("document", [[1], {}, "hello"])
def test_an_answer_that_is_not_kubernetes_is_told_in_words(document, api, capsys):
    api.put("GET", "/apis/batch/v1/namespaces/research/jobs", document)
    ended = verb(capsys, "status", "-n", "research")
    assert ended.code == 1
    assert "does not answer as Kubernetes does" in ended.err
