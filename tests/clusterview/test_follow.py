"""What goes on for a while (logs -f, wait, status -w): lines that are no log, rights, TTLs, outages."""

import json

import pytest

from rallypoint.cli.watch import watch_jobs
from rallypoint.cluster.errors import Unreachable
from rallypoint.cluster.state import ENDED
from rallypoint.topology import NODE_INDEX_LABELS, OWNER_LABEL

from .api import items, status
from .verb import verb

JOBS = "/apis/batch/v1/namespaces/research/jobs"
SETS = "/apis/apps/v1/namespaces/research/statefulsets"
PODS = "/api/v1/namespaces/research/pods"
LOG = f"{PODS}/tiny-0/log"
KUBELET = "unable to retrieve container logs for containerd://abc"
MAY_NOT = 'pods "tiny-0" is forbidden: User "ann" cannot get resource "pods/log" in API group ""'
RUNNING, DONE = {"running": {}}, {"terminated": {"exitCode": 0}}
COMPLETE = [{"type": "Complete", "status": "True"}]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    for place in ("logs", "waiting"):
        monkeypatch.setattr(f"rallypoint.cluster.{place}.LOOK_SECONDS", 0.01)
    monkeypatch.setattr("rallypoint.cluster.waiting.SHORTEST_LOOK_SECONDS", 0.01, raising=False)


def workload(conditions=(), **spec):
    metadata = {"name": "tiny", "namespace": "research", "uid": "w"}
    return {
        "metadata": metadata, "spec": {"completions": 1, **spec}, "status": {"conditions": list(conditions)}
    }  # fmt: skip


def pod(state):
    labels = {NODE_INDEX_LABELS["job"]: "0", OWNER_LABEL: "tiny"}
    return {
        "metadata": {"name": "tiny-0", "namespace": "research", "uid": "p", "labels": labels},
        "spec": {"nodeName": "m", "restartPolicy": "Never", "containers": [{"name": "main"}]},
        "status": {"containerStatuses": [{"name": "main", "state": state}]},
    }


def put_job(api, conditions=(), state=RUNNING, **spec):
    api.put("GET", JOBS, items(workload(conditions, **spec)))
    api.put("GET", PODS, items(pod(state)))


def streams(api, *bodies):
    """Each is what one request of the log with time stamps gets; the job is over when the last is read."""
    left, asked, plain = list(bodies), [], api.answer

    def answer(call):
        if call.path != LOG or "timestamps" not in call.query:
            return plain(call)
        asked.append(call.query)
        body = left.pop(0) if left else ""
        if not left:
            put_job(api, COMPLETE)
        return 200, body, {}

    api.answer = answer
    return asked


def test_what_the_kubelet_writes_into_a_log_is_no_line_of_it(api, capsys):
    put_job(api)
    asked = streams(api, f"2026-01-01T10:00:00.000000001Z one\n{KUBELET}\n", KUBELET,
                    "2026-01-01T10:00:00.000000001Z one\n2026-01-01T10:00:01Z two\n")  # fmt: skip
    ended = verb(capsys, "logs", "tiny", "-f")
    assert (ended.code, ended.out) == (0, "one\ntwo\n")
    assert ended.err.count(f"node 0: {KUBELET}\n") == 1
    assert {one.get("sinceTime") for one in asked[1:]} == {"2026-01-01T10:00:00Z", "2026-01-01T10:00:01Z"}


def test_the_zone_of_a_machine_s_clock_is_kept(api, capsys):
    put_job(api)
    asked = streams(api, "2026-01-01T10:00:00.5+02:00 one\n", "")
    assert verb(capsys, "logs", "tiny", "-f").out == "one\n"
    assert asked[1]["sinceTime"] == "2026-01-01T10:00:00+02:00"


@pytest.mark.parametrize("more", [[], ["-f"], ["-f", "--all"]], ids=" ".join)
def test_logs_that_may_not_be_read_end_it(more, api, capsys):
    put_job(api)
    api.put("GET", LOG, status(403, MAY_NOT, "Forbidden"), 403)
    plain = api.answer

    def answer(call):
        if len(api.calls) > 40:  # it stays: let it end, wrongly
            put_job(api, COMPLETE)
        return plain(call)

    api.answer = answer
    ended = verb(capsys, "logs", "tiny", *more)
    words = "namespace 'research': 'ann' may not get pods/log; ask for a role that allows it"
    assert (ended.code, ended.out, ended.err.count(words)) == (1, "", 1)


@pytest.mark.parametrize("more", [[], ["-f"], ["--all"], ["-f", "--all"], ["--rank", "0"]], ids=" ".join)
@pytest.mark.parametrize("contract", [{}, {"nodes": 2}], ids=["no contract", "contract"])
@pytest.mark.parametrize("failed", [False, True], ids=["done", "failed"])
def test_a_statefulset_that_was_scaled_to_0_has_no_logs(more, contract, failed, api, capsys):
    note, how = ("failed: bad", "has failed (bad) and") if failed else ("succeeded", "is done and")
    found = workload(replicas=0)
    found["metadata"]["annotations"] = {ENDED: note}
    api.put("GET", SETS, items(found))
    api.put("GET", PODS, items())
    config = {"metadata": {}, "data": {"contract.json": json.dumps(contract)}}
    api.put("GET", "/api/v1/namespaces/research/configmaps/tiny-config", config)
    ended = verb(capsys, "logs", "tiny", *more)
    assert (ended.code, ended.out) == (2, "")
    assert f"tiny: has no pods now, and no logs: it {how} was scaled to 0" in ended.err


def gone_after(api, looks, state, **spec):
    """The job is there for so many looks."""
    put_job(api, state=state, **spec)
    there = (200, items(workload(**spec)))
    api.put_first("GET", JOBS, *[there] * looks)
    api.put("GET", JOBS, items())


def test_a_job_that_its_ttl_took_away_when_its_pods_were_done_is_done(api, capsys):
    gone_after(api, 2, DONE, ttlSecondsAfterFinished=1)
    ended = verb(capsys, "wait", "tiny")
    assert (ended.code, ended.out) == (0, "tiny: done\n")


def test_a_job_whose_end_its_ttl_may_have_hidden_says_so(api, capsys):
    gone_after(api, 2, RUNNING, ttlSecondsAfterFinished=1)
    ended = verb(capsys, "wait", "tiny")
    assert (ended.code, ended.out) == (1, "")
    assert "tiny: its ttl of 1s may have removed it at its end" in ended.err
    assert "tiny: was deleted before its end was seen" in ended.err


def test_a_job_without_a_ttl_that_is_gone_was_deleted(api, capsys):
    gone_after(api, 2, DONE)
    ended = verb(capsys, "wait", "tiny")
    assert (ended.code, "ttl" in ended.err, "was deleted before its end" in ended.err) == (1, False, True)


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [({}, 1.0), ({"ttlSecondsAfterFinished": 0}, 0.25), ({"ttlSecondsAfterFinished": 1}, 0.25),
     ({"ttlSecondsAfterFinished": 2}, 0.5), ({"runPolicy": {"ttlSecondsAfterFinished": 2}}, 0.5),
     ({"ttlSecondsAfterFinished": 600}, 1.0)],
)  # fmt: skip
def test_a_job_with_a_short_ttl_is_looked_at_more_often(spec, seconds, api, capsys, monkeypatch):
    monkeypatch.setattr("rallypoint.cluster.waiting.LOOK_SECONDS", 1.0)
    monkeypatch.setattr("rallypoint.cluster.waiting.SHORTEST_LOOK_SECONDS", 0.25)
    slept = []
    monkeypatch.setattr("rallypoint.cluster.waiting.time.sleep", slept.append)
    gone_after(api, 2, DONE, **spec)
    verb(capsys, "wait", "tiny")
    assert slept == [seconds, seconds]


AWAY = (503, status(503, "the server is starting"))


def test_a_wait_that_begins_in_an_outage_is_patient(api, capsys):
    put_job(api, COMPLETE)
    api.put_first("GET", JOBS, AWAY, AWAY)
    ended = verb(capsys, "wait", "tiny")
    assert (ended.code, ended.out, ended.err.count("trying again for 120 s")) == (0, "tiny: done\n", 1)


def test_the_patience_of_a_wait_that_begins_in_an_outage_ends_with_its_time(api, capsys):
    api.put("GET", JOBS, AWAY[1], AWAY[0])
    ended = verb(capsys, "wait", "tiny", "--timeout", "1s")
    assert (ended.code, "trying again for 1 s" in ended.err) == (1, True)


def test_a_watch_in_a_pipe_is_patient(api, capsys):
    put_job(api, COMPLETE)
    api.put_first("GET", JOBS, AWAY, AWAY)
    ended = verb(capsys, "status", "tiny", "-w")
    assert (ended.code, "succeeded" in ended.out, ended.err.count("trying again")) == (0, True, 1)


def test_a_watch_in_a_pipe_does_not_wait_for_ever(capsys, monkeypatch):
    monkeypatch.setattr("rallypoint.cluster.waiting.time.monotonic", iter(range(0, 1000, 100)).__next__)

    def look():
        raise Unreachable("cluster x: cannot be reached")

    with pytest.raises(Unreachable):
        watch_jobs(look, "tiny", 0.01)
    assert capsys.readouterr().out == ""
