"""What the pod of `helm test` makes of the pods' states and node 0's log."""

import importlib.util
import json

import pytest

from chart.helm import CHART, objects
from chart.random_values import KINDS
from chart.twin import helm_on
from rallypoint.render import to_yaml
from rallypoint.topology import NODE_INDEX_LABELS

SPEC = importlib.util.spec_from_file_location("progress", CHART / "files/progress.py")
progress = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(progress)

START = "[rallypoint 12:30:05 node 0] rank 0 of 2, node 0 of 2 on a-0, round 0\n"
ROUND = "[rallypoint 12:30:06 node 0] round 1: rank 0 of 2, 2 nodes, master a-rdzv:2000\n"
WAITS = "[rallypoint 12:31:06 node 0] waiting for node 1; since 12:30:06, for 60 s, at most 900 s\n"
AGENT = "[rallypoint 12:30:06 node 0] torch's elastic agent number 1: rank 0 of 2, 2 nodes\n"


def step(number):
    return f'0: rallypoint: {{"event": "log", "step": {number}, "loss": 0.5}}\n'


def pod(phase, index=0, created="2026-01-01T00:00:00Z", label="i", **statuses):
    status = {"phase": phase, "containerStatuses": [{"name": "trainer", **statuses}]}
    metadata = {"name": f"a-{index}", "labels": {label: str(index)}, "creationTimestamp": created}
    return {"metadata": metadata, "status": status}


def terminated(code, message="words"):
    text = json.dumps({"code": code, "message": message})
    return {"terminated": {"exitCode": code, "message": text}}


def watched(monkeypatch, pods, *logs, wanted="train", suspended=False):
    """What the program says of these pods, when node 0's log reads like this, look by look."""
    watch = progress.Watch("here", "rallypoint.dev/job=a", "i", "trainer")
    texts = iter([*logs, *logs[-1:] * 3])

    def read(path, **query):
        if path.endswith("/log"):
            assert query == {"container": "trainer"}
            return next(texts).encode()
        assert query == {"labelSelector": "rallypoint.dev/job=a"}
        return json.dumps({"items": pods}).encode()

    clock = iter(range(100))
    monkeypatch.setattr(progress, "read", read)
    monkeypatch.setattr(progress.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    return progress.main(watch, wanted, 3, suspended)


RUNS = [pod("Running"), pod("Running", 1)]
FAILED_1 = [pod("Running"), pod("Failed", 1, state=terminated(2))]
DONE_1 = [pod("Running"), pod("Succeeded", 1, state=terminated(0))]
NO_IMAGE = [pod("Pending", state={"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}})]
MARK_DONE = "[rallypoint 12:30:05 node 0] this run is done already (x); nothing to do\n"
MARK_FAILED = "[rallypoint 12:30:05 node 0] this run has failed already (x): y\n"
END = 'rallypoint: {"event": "end"}\n'
CUT = 'rallypoint: {"event": "log", "st'
CASES = {
    "a step forward": (RUNS, [ROUND + step(1), ROUND + step(1) + step(2)], "train", 0, "from step 1 to 2"),
    "the same step": (RUNS, [ROUND + step(1)], "train", 1, "in 3 s: node 0 is Running, last step 1"),
    "half a line": (RUNS, [ROUND + CUT], "train", 1, "last step None"),
    "a round of a script": (RUNS, [START + ROUND], "script", 0, "progress: node 0 says: round 1"),
    "a round of torch's agent": (RUNS, [START + AGENT], "script", 0, "progress: node 0 says: torch's"),
    "a round of the trainer": (RUNS, [START + ROUND], "train", 1, "says: round 1"),
    "a script that waits": (RUNS, [START + ROUND + WAITS], "script", 1, "says: waiting for node 1"),
    "the trainer's end": (RUNS, [ROUND + END], "train", 0, "done"),
    "node 0 done": ([pod("Succeeded", state=terminated(0))], [""], "train", 0, "done"),
    "node 0 done and idle": ([pod("Running", lastState=terminated(0))], [""], "script", 0, "done"),
    "node 1 failed": (FAILED_1, [ROUND], "script", 1, "node 1 has ended with 2: words"),
    "node 1 done": (DONE_1, [WAITS], "script", 1, "no progress"),
    "stopped from outside": ([pod("Failed", state=terminated(143))], [""], "train", 1, "no progress"),
    "no pod": ([], [""], "train", 1, "there is no pod of node 0"),
    "a marker found": (RUNS, [MARK_DONE], "train", 0, "done: this run is done already"),
    "a mark of failure": (RUNS, [MARK_FAILED], "train", 1, "failed: this run has failed already (x): y"),
    "an image that is not there": (NO_IMAGE, [""], "train", 1, "Pending (ImagePullBackOff no such image)"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_judges(case, monkeypatch, capsys):
    pods, logs, wanted, code, text = case
    assert watched(monkeypatch, pods, *logs, wanted=wanted) == code
    assert text in capsys.readouterr().out


def test_a_pod_that_was_replaced_is_not_judged(monkeypatch, capsys):
    old = pod("Failed", state=terminated(1), created="2025-01-01T00:00:00Z")
    assert watched(monkeypatch, [pod("Running"), old], ROUND, wanted="script") == 0
    assert "progress" in capsys.readouterr().out


def test_a_suspended_job_is_told_from_a_slow_one(monkeypatch, capsys):
    assert watched(monkeypatch, [], "", suspended=True) == 1
    assert "the job is suspended" in capsys.readouterr().out
    assert watched(monkeypatch, RUNS, ROUND, wanted="script", suspended=True) == 0


def arguments(**keys):
    values = {"image": "x", "script": {"module": "m"}, "output": {"pvc": "o"}, **keys}
    items = objects(helm_on(to_yaml([values]), release="a").stdout, hooks=("test",))
    container = next(item for item in items if item["kind"] == "Pod")["spec"]["containers"][0]
    assert container["command"][:3] == ["python3", "-u", "-c"]
    return container["command"][4:]


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_told_where_to_look(kind):
    name = "pytorch" if kind == "pytorchjob" else "node" if kind == "trainjob" else "trainer"
    wanted = ["default", "rallypoint.dev/job=a", NODE_INDEX_LABELS[kind], name, "script", "240", "started"]
    assert arguments(kind=kind) == wanted


def test_it_is_told_of_a_suspended_job():
    assert arguments(suspend=True)[-1] == "suspended"


def test_it_may_list_pods_and_read_logs_and_nothing_else():
    values = to_yaml([{"image": "x", "script": {"module": "m"}}])
    items = objects(helm_on(values).stdout, hooks=("test",))
    role = next(item for item in items if item["kind"] == "Role")
    rules = [(part, verb) for rule in role["rules"] for part in rule["resources"] for verb in rule["verbs"]]
    assert sorted(rules) == [("pods", "list"), ("pods/log", "get")]
