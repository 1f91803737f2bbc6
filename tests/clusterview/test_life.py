"""apply, wait, logs and delete against a small server: what is sent, in which order, and what is refused."""

import json
from threading import Timer

import pytest

from rallypoint.cluster.errors import Unreachable
from rallypoint.cluster.waiting import patiently
from rallypoint.loading import load
from rallypoint.podview.config import files_name
from rallypoint.render import render

from .api import items, status
from .test_state import recorded
from .verb import JOB, verb

NS = "/apis/batch/v1/namespaces/research/jobs"
CORE = "/api/v1/namespaces/research"
POLICY = "/apis/networking.k8s.io/v1/namespaces/research/networkpolicies"


TRAINER = "/apis/trainer.kubeflow.org/v1alpha1"
UNHEARD = (
    'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: spec.runtimeRef: '
    'Invalid value: {"name":"tiny","apiGroup":"trainer.kubeflow.org","kind":"TrainingRuntime"}: '
    'TrainingRuntime.trainer.kubeflow.org "tiny" not found: specified trainingRuntime must be created before '
    "the TrainJob is created",
    "admission webhook \"vtrainjob.kb.io\" denied the request: runtime 'tiny' not found",
)
"""As Trainer said it on a real cluster, right after the runtime was made; Kueue's from its source, 0.17."""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text(JOB)
    return str(path)


@pytest.fixture
def living(api, file):
    """The job lives in the cluster, exactly as rendered."""
    loaded = load([file])
    paths, lists = {}, {}
    for item in render(loaded.job, loaded.scripts):
        item["metadata"] |= {"namespace": "research", "uid": item["kind"], "resourceVersion": "1",
                             "creationTimestamp": "2026-01-01T00:00:00Z"}  # fmt: skip
        where = {
            "ConfigMap": f"{CORE}/configmaps",
            "Service": f"{CORE}/services",
            "NetworkPolicy": POLICY,
            "Job": NS,
        }
        path = where[item["kind"]]
        paths[f"{path}/{item['metadata']['name']}"] = item
        lists.setdefault(path, []).append(item)
    for path, found in lists.items():
        api.put("GET", path, items(*found))
    for path, item in paths.items():
        api.put("GET", path, item)
        api.put("PATCH", path, item)
    api.put("GET", f"{CORE}/pods", items())
    return paths


@pytest.fixture
def files(file):
    """Name of the ConfigMap that the pods mount."""
    loaded = load([file])
    return files_name(loaded.job, loaded.scripts)


def accept(api):
    """Every object is new, and taken as it comes."""
    api.put("PATCH", "*", {"metadata": {"uid": "u", "resourceVersion": "1"}})


def test_apply_rehearses_everything_before_it_sends_in_render_s_order(api, capsys, file, files):
    accept(api)
    ended = verb(capsys, "apply", file)
    assert ended.code == 0
    sent = [(call.query.get("dryRun"), call.path) for call in api.calls if call.method == "PATCH"]
    order = [f"{CORE}/configmaps/tiny-config", f"{CORE}/configmaps/{files}", f"{CORE}/services/tiny-rdzv",
             f"{POLICY}/tiny", f"{NS}/tiny"]  # fmt: skip
    assert sent == [*(("All", path) for path in order), *((None, path) for path in order)]
    assert ended.out.splitlines()[0] == "configmap/tiny-config created"


def test_apply_waits_for_the_pods_of_an_earlier_run(api, capsys, file):
    accept(api)
    api.put("GET", f"{CORE}/pods", items({"metadata": {"name": "tiny-0-x", "namespace": "research"}}))
    Timer(1.2, api.put, ("GET", f"{CORE}/pods", items())).start()
    ended = verb(capsys, "apply", file)
    assert ended.code == 0
    assert ended.err.count("waiting for the pods of an earlier run to end (tiny-0-x)") == 1
    paths = [(call.method, call.path) for call in api.calls]
    assert paths.index(("PATCH", f"{CORE}/configmaps/tiny-config")) > paths.index(("GET", f"{CORE}/pods")) + 1


def test_a_trainjob_is_sent_again_until_its_operator_has_heard_of_the_runtime(api, capsys, file, monkeypatch):
    monkeypatch.setattr("rallypoint.cluster.objects.RUNTIME_SECONDS", 1.0)
    accept(api)
    api.put("GET", TRAINER, {"resources": [{"name": "trainjobs"}, {"name": "trainingruntimes"}]})
    path = f"{TRAINER}/namespaces/research/trainjobs/tiny"
    unheard = [(403, status(403, text, "Forbidden")) for text in UNHEARD]
    api.put_first("PATCH", path, *unheard)
    assert verb(capsys, "apply", file, "--kind", "TrainJob").code == 0
    assert api.said("PATCH").count(path) == 3
    api.put("PATCH", path, unheard[0][1], 403)
    ended = verb(capsys, "apply", file, "--kind", "TrainJob")
    assert (ended.code, "specified trainingRuntime must be created" in ended.err) == (2, True)
    denied = status(403, 'admission webhook "x" denied the request: no', "Forbidden")
    api.put("PATCH", path, denied, 403)
    before = api.said("PATCH").count(path)
    assert verb(capsys, "apply", file, "--kind", "TrainJob").code == 2
    assert api.said("PATCH").count(path) == before + 1


def test_apply_sends_exactly_what_render_prints_as_rallypoint(api, capsys, file):
    accept(api)
    verb(capsys, "apply", file)
    loaded = load([file])
    calls = [call for call in api.calls if call.method == "PATCH" and "dryRun" not in call.query]
    assert [call.body for call in calls] == render(loaded.job, loaded.scripts)
    assert {call.query["fieldManager"] for call in calls} == {"rallypoint"}
    assert {call.headers["Content-Type"] for call in calls} == {"application/apply-patch+yaml"}


def test_apply_prints_json_alone_on_stdout(api, capsys, file):
    accept(api)
    document = json.loads(verb(capsys, "apply", file, "-o", "json").out)
    assert (document["name"], document["objects"][4]) == (
        "tiny",
        {"object": "job.batch/tiny", "result": "created"},
    )


def test_apply_whose_waiting_is_cut_short_still_prints_its_one_document(api, capsys, file):
    accept(api)
    ended = verb(capsys, "apply", file, "--wait", "-o", "json")  # the server never shows the job
    document = json.loads(ended.out)
    assert (ended.code, len(document["objects"]), "state" in document) == (2, 5, False)


def test_the_same_job_again_is_unchanged(living, api, capsys, file):
    ended = verb(capsys, "apply", file)
    assert ended.code == 0
    assert [line.rpartition(" ")[2] for line in ended.out.splitlines()] == ["unchanged"] * 5


def test_a_changed_run_is_refused_before_anything_is_sent(living, api, capsys, file):
    ended = verb(capsys, "apply", file, "--set", "nodes=4", "--set", "env.A=b")
    assert ended.code == 2
    assert "\n  nodes: 2 -> 4\n" in ended.err
    assert "--replace" in ended.err and "--fresh" in ended.err
    assert {call.method for call in api.calls} == {"GET"}


def test_another_kind_under_a_living_name_is_refused(living, api, capsys, file):
    ended = verb(capsys, "apply", file, "--kind", "StatefulSet", "--set", "output.pvc=o")
    assert (ended.code, "kind: 'Job' -> 'StatefulSet'" in ended.err) == (2, True)
    assert {call.method for call in api.calls} == {"GET"}


def test_a_job_of_helm_is_left_to_helm(living, api, capsys, file):
    for item in living.values():
        item["metadata"]["annotations"] = {"meta.helm.sh/release-name": "r1"}
    for words in (["apply", file], ["delete", "tiny"]):
        ended = verb(capsys, *words)
        assert (ended.code, "belongs to the helm release 'r1'" in ended.err) == (2, True)
    assert {call.method for call in api.calls} == {"GET"}


def test_pods_that_the_namespace_would_keep_out_are_refused_at_once(api, capsys, file):
    warning = 'would violate PodSecurity "restricted:latest": privileged'
    api.put("PATCH", "*", {"metadata": {}}, Warning=f'299 - "{warning.replace(chr(34), chr(92) + chr(34))}"')
    level = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    api.put("GET", "/api/v1/namespaces/research", level)
    ended = verb(capsys, "apply", file)
    assert (ended.code, "keeps these pods out" in ended.err) == (2, True)
    assert all(call.query.get("dryRun") for call in api.calls if call.method == "PATCH")


def test_a_refusal_half_way_says_what_is_there_already(api, capsys, file, files):
    accept(api)
    real = api.answer

    def full(call):
        if call.method == "PATCH" and "dryRun" not in call.query and call.path == f"{NS}/tiny":
            api.calls.append(call)
            return 403, status(403, "jobs is forbidden: exceeded quota: q, used: x", "Forbidden"), {}
        return real(call)

    api.answer = full
    ended = verb(capsys, "apply", file)
    assert ended.code == 1
    created = (
        f"configmap/tiny-config, configmap/{files}, service/tiny-rdzv, networkpolicy.networking.k8s.io/tiny"
    )
    assert f"already created: {created}" in ended.err


def test_delete_takes_the_workload_first_and_keeps_claims(living, api, capsys, files):
    claim = {"metadata": {"name": "out", "namespace": "research"}}
    api.put("GET", f"{CORE}/persistentvolumeclaims", items(claim))
    for path in living:
        api.put("DELETE", path, {"kind": "Status"})
        api.put("GET", path, status(404, "gone", "NotFound", name="x"), 404)
    ended = verb(capsys, "delete", "tiny", "-o", "json")
    assert ended.code == 0
    said = json.loads(ended.out)
    assert (said["deleted"][0], said["kept"]) == ("job.batch/tiny", ["persistentvolumeclaim/out"])
    assert len(said["deleted"]) == len(living)
    assert api.said("DELETE") == [f"{NS}/tiny", f"{POLICY}/tiny", f"{CORE}/services/tiny-rdzv",
                                  f"{CORE}/configmaps/tiny-config", f"{CORE}/configmaps/{files}"]  # fmt: skip
    assert "keeping what holds data: out (PersistentVolumeClaim)" in ended.err
    assert {call.body["propagationPolicy"] for call in api.calls if call.method == "DELETE"} == {"Foreground"}


def test_delete_of_nothing_says_so_and_ends_well(api, capsys):
    ended = verb(capsys, "delete", "tiny")
    assert ended == (0, "", "tiny: nothing to delete in namespace 'research'\n")


@pytest.mark.parametrize("words", [["logs", "x"], ["wait", "x"], ["status", "x"]], ids=lambda words: words[0])
def test_a_job_that_is_not_there_is_wrong_input(words, api, capsys):
    ended = verb(capsys, *words)
    assert (ended.code, "there is no such job in namespace 'research'" in ended.err) == (2, True)


def underway(api, name="big"):
    """A recorded job, as the server holds it."""
    found = recorded(name)
    found["workload"]["metadata"]["namespace"] = "research"
    for pod in found["pods"]:
        pod["metadata"]["namespace"] = "research"
    api.put("GET", NS, items(found["workload"]))
    api.put("GET", f"{CORE}/pods", items(*found["pods"]))
    return found["workload"]["metadata"]["name"]


def test_wait_ends_with_124_when_time_is_up(api, capsys):
    name = underway(api)
    ended = verb(capsys, "wait", name, "--timeout", "1s")
    assert (ended.code, ended.out) == (124, "")
    assert "Insufficient cpu" in ended.err
    assert f"{name}: not over after 1s: pending" in ended.err


def test_wait_ends_with_1_and_the_first_failing_node_s_word(api, capsys):
    name = underway(api, "job")
    ended = verb(capsys, "wait", name)
    assert (ended.code, ended.out) == (1, "")
    assert "rank 1 on node 1: ValueError: bad batch at step 3" in ended.err
    assert ended.err.rstrip().endswith("ValueError: bad batch at step 3")


def test_status_prints_json_for_a_program(api, capsys):
    name = underway(api)
    (found,) = json.loads(verb(capsys, "status", name, "-o", "json").out)["jobs"]
    assert (found["state"], found["nodes"], [pod["node"] for pod in found["pods"]]) == ("pending", 2, [0, 1])


def test_status_aligns_its_columns(api, capsys):
    underway(api)
    head, row, why = verb(capsys, "status").out.splitlines()
    assert head.split() == ["NAME", "KIND", "STATE", "PODS", "AGE", "PROGRESS"]
    assert [row[head.index(word) :].split()[0] for word in ("NAME", "KIND", "STATE", "PODS")] == [
        "rec-big", "Job", "pending", "0/2"
    ]  # fmt: skip
    assert why.startswith("    node 0: unschedulable")


@pytest.mark.parametrize("words", [["status"], ["status", "rec-job"], ["wait", "rec-job"]], ids=" ".join)
def test_what_a_program_said_cannot_drive_the_terminal(words, api, capsys):
    word = json.dumps({"code": 1, "message": "\x1b[31mbad", "traceback": "\x1b]0;title\x07"})
    underway(api, "job")
    pod = recorded("job")["pods"][0]
    pod["metadata"]["namespace"] = "research"
    pod["status"]["containerStatuses"][0]["state"]["terminated"]["message"] = word
    api.put("GET", f"{CORE}/pods", items(pod))
    ended = verb(capsys, *words)
    assert "\\x1b[31mbad" in ended.out + ended.err
    assert [letter for letter in ended.out + ended.err if letter in "\x1b\x07"] == []


def test_logs_of_a_node_that_waits_say_why(api, capsys):
    ended = verb(capsys, "logs", underway(api))
    assert (ended.code, "node 0: has not started (unschedulable" in ended.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--node", "2"], "there is no node 2; it has nodes 0 to 1"),
     (["--rank", "2"], "there is no rank 2; it has ranks 0 to 1"),
     (["--rank", "0", "--all"], "--rank and --all: exclude each other"),
     (["--since", "ten"], "--since: must be a whole number and a unit")],
)  # fmt: skip
def test_wrong_options_of_logs_are_wrong_input(words, said, api, capsys):
    ended = verb(capsys, "logs", underway(api), *words)
    assert (ended.code, said in ended.err) == (2, True)


def test_a_cluster_that_is_away_for_a_moment_is_waited_for():
    answers = [Unreachable("cluster x: cannot be reached"), Unreachable("cluster x: cannot be reached"), []]
    said = []

    def look():
        found = answers.pop(0)
        if isinstance(found, Unreachable):
            raise found
        return found

    assert patiently(look, said.append, 30) == []
    assert said == ["cluster x: cannot be reached; trying again for 30 s"]


def test_a_cluster_that_stays_away_is_an_error():
    def look():
        raise Unreachable("cluster x: cannot be reached")

    with pytest.raises(Unreachable):
        patiently(look, lambda _: None, 0)
