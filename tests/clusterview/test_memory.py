"""A container that was killed for memory: told of its pod while it is down, started again, or replaced."""

import copy
import json

import pytest

from rallypoint.cluster.pod import newest, pod_of

from .api import items
from .test_life import CORE, underway
from .test_state import container, pod
from .verb import verb

KERNEL = "out of memory: the kernel killed it; raise resources.memory"
LAUNCHER = "rank 1 on node 1: killed by the kernel: the container's memory limit is reached (step 2)"
WHOLE = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-01-01T00:00:00Z"}
"""The kernel took all of the container, so nobody was left to write a message: cgroup v2."""
ONE = {**WHOLE, "exitCode": 1, "message": json.dumps({"code": 1, "message": LAUNCHER})}
"""It took one rank, and the launcher says so."""
ENDS = pytest.mark.parametrize(("end", "said"), [(WHOLE, KERNEL), (ONE, LAUNCHER)], ids=["whole", "one rank"])


def started_again(end):
    """A pod whose container runs again in place."""
    state = {"state": {"running": {}}, "lastState": {"terminated": end}, "restartCount": 1}
    return pod(phase="Running", containerStatuses=container(**state))


def down(policy, end):
    """A pod whose container has ended, before anything came of it."""
    item = pod(phase="Running", containerStatuses=container(state={"terminated": end}))
    item["spec"] |= {"restartPolicy": policy, "nodeName": "machine"}
    return item


def failed(end):
    """A pod that is over."""
    return pod(phase="Failed", containerStatuses=container(state={"terminated": end}))


@ENDS
def test_a_container_that_runs_again_says_what_it_was_killed_for(end, said):
    found = pod_of(started_again(end))
    assert (found.phase, found.why) == ("running", f"started again; before: {said}")


@ENDS
def test_a_container_that_is_about_to_start_again_says_it(end, said):
    found = pod_of(down("Always", end))
    assert (found.phase, found.why) == ("starting", f"starts again; before: {said}")


@ENDS
@pytest.mark.parametrize("made", [lambda end: down("Never", end), failed], ids=["terminated", "failed"])
def test_a_pod_that_does_not_start_again_says_it(made, end, said):
    found = pod_of(made(end))
    assert (found.phase, found.why) == ("failed", said)


@ENDS
def test_a_pod_in_the_place_of_a_failed_one_says_it(end, said):
    old, new = failed(end), pod(phase="Running", containerStatuses=container(state={"running": {}}))
    for item, name, day in ((old, "old", "01"), (new, "new", "02")):
        item["metadata"] |= {"name": name, "creationTimestamp": f"2026-01-{day}T00:00:00Z"}
    (found,) = newest(map(pod_of, [new, old]))
    assert (found.name, found.why) == ("new", f"in the place of old: {said}")
    other = copy.deepcopy(new)
    other["metadata"]["labels"] = {"batch.kubernetes.io/job-completion-index": "1"}
    assert [one.why for one in newest(map(pod_of, [old, other]))] == [said, ""]


def test_a_pod_after_one_that_did_not_fail_has_nothing_to_say():
    runs = pod_of(pod(phase="Running", containerStatuses=container(state={"running": {}})))
    assert [one.why for one in newest([runs, runs._replace(created="9")])] == [""]


def test_what_keeps_a_container_from_starting_again_is_told_before_its_last_end():
    item = started_again(WHOLE)
    item["spec"]["nodeName"] = "machine"
    item["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "ContainerCreating"}}
    event = {"reason": "FailedMount", "message": "x", "involvedObject": {"uid": item["metadata"]["uid"]}}
    assert pod_of(item, [event]).why == "FailedMount: x"


@ENDS
def test_status_shows_it_to_people_and_to_programs(end, said, api, capsys):
    name, item = underway(api), started_again(end)
    item["metadata"]["namespace"] = "research"
    api.put("GET", f"{CORE}/pods", items(item))
    shown = verb(capsys, "status", name).out
    assert [line.split()[0] for line in shown.splitlines() if said in line] == ["0"]
    (job,) = json.loads(verb(capsys, "status", name, "-o", "json").out)["jobs"]
    (one,) = job["pods"]
    assert (one["ended"]["message"], said in one["why"]) == (said, True)


def test_one_that_runs_again_does_not_hide_why_another_waits(api, capsys):
    name, again = underway(api), started_again(WHOLE)
    waits = pod(containerStatuses=container(state={"waiting": {"reason": "ContainerCreating"}}))
    waits["metadata"] |= {"name": "waits", "uid": "w"}
    waits["metadata"]["labels"] |= {"batch.kubernetes.io/job-completion-index": "1"}
    for item in (again, waits):
        item["metadata"]["namespace"] = "research"
    event = {"reason": "FailedMount", "message": "no such secret", "involvedObject": {"uid": "w"}}
    api.put("GET", f"{CORE}/pods", items(again, waits))
    api.put("GET", f"{CORE}/events", items(event))
    ended = verb(capsys, "status", name)
    assert "pending (node 1: FailedMount: no such secret)" in ended.out


def test_a_pod_whose_node_is_unknown_is_in_nobody_s_place():
    runs = pod_of(started_again(ONE))._replace(why="", node=None, created="9")
    assert [one.why for one in newest([pod_of(failed(ONE))._replace(node=None), runs])] == [""]
