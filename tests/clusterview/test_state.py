"""What is said of jobs, from what a real API server held of them (recorded/README.md)."""

import copy
import json
from pathlib import Path

import pytest

from rallypoint.cluster.pod import first_failed, newest, pod_of
from rallypoint.cluster.resource import WORKLOADS
from rallypoint.cluster.state import ENDED, node_count, state
from rallypoint.cluster.view import cannot_create

RECORDED = Path(__file__).parent / "recorded"
BLAMED = "rank 1 on node 1: ValueError: bad batch at step 3"


def recorded(name):
    return json.loads((RECORDED / f"{name}.json").read_text())


def seen(found, idle=()):
    """The state of a recorded job."""
    pods = newest(pod_of(item, found["events"]) for item in found["pods"])
    nodes = node_count(found["kind"], found["workload"], found["runtime"])
    return state(found["kind"], found["workload"], nodes, pods, idle)


def test_every_kind_is_recorded():
    assert {recorded(kind)["kind"] for kind in WORKLOADS} == set(WORKLOADS)


@pytest.mark.parametrize("kind", WORKLOADS)
def test_a_failed_job_names_the_rank_that_failed_first(kind):
    now = seen(recorded(kind))
    assert (now.name, BLAMED in now.why, now.over) == ("failed", True, True)


@pytest.mark.parametrize("kind", [kind for kind in WORKLOADS if kind != "statefulset"])
def test_a_condition_of_the_kind_tells_its_end(kind):
    found = recorded(kind)
    word = {"job": "Complete", "jobset": "Completed", "trainjob": "Complete", "pytorchjob": "Succeeded"}[kind]
    found["workload"]["status"]["conditions"] = [{"type": word, "status": "True"}]
    assert seen(found).name == "succeeded"
    found["workload"]["status"]["conditions"] = [{"type": word, "status": "False"}]
    assert not seen(found).over


@pytest.mark.parametrize("kind", WORKLOADS)
def test_the_nodes_of_every_kind_are_counted(kind):
    found = recorded(kind)
    assert node_count(found["kind"], found["workload"], found["runtime"]) == 2


def test_a_statefulset_is_done_when_one_launcher_says_so():
    assert seen(recorded("idle")).name == "succeeded"


@pytest.mark.parametrize(
    ("line", "name", "why"),
    [
        (
            "[rallypoint 10:00:00 node 0] this run is done already (/output/a/done.json); nothing to do",
            "succeeded",
            "",
        ),
        (
            "[rallypoint 10:00:00 node 0] this run has failed already (/output/a/failed.json): rank 1: bad; "
            "take the marker away to try it again",
            "failed",
            "rank 1: bad",
        ),
    ],
    ids=["done", "failed"],
)
def test_a_new_pod_of_a_finished_statefulset_tells_it_in_its_log(line, name, why):
    found = recorded("idle")
    for pod in found["pods"]:
        for container in pod["status"]["containerStatuses"]:
            container["lastState"] = {}
    assert seen(found).name == "running"
    assert seen(found, [line])[:2] == (name, why)


def test_a_statefulset_that_was_scaled_down_keeps_how_it_ended():
    found = recorded("idle")
    found["workload"]["spec"]["replicas"], found["pods"] = 0, []
    assert seen(found)[:2] == ("suspended", "scaled to 0")
    found["workload"]["metadata"]["annotations"] = {ENDED: "failed: out of memory"}
    assert seen(found)[:2] == ("failed", "out of memory")


def test_a_job_without_room_says_what_is_missing():
    now = seen(recorded("big"))
    assert now.name == "pending"
    assert now.why.startswith("node 0: unschedulable: 0/1 nodes are available: 1 Insufficient cpu.")


def test_an_image_that_is_nowhere_is_named():
    now = seen(recorded("img"))
    assert now.why.startswith("node 0: image rallypoint.test/none:9: cannot be pulled (")


def test_a_job_in_a_queue_is_queued_and_a_suspended_one_suspended():
    assert seen(recorded("queue"))[:2] == ("queued", "waits in queue nowhere")
    assert seen(recorded("suspended"))[:2] == ("suspended", "")


def test_a_deadline_that_passed_is_no_pod_s_fault():
    found = recorded("job")
    found["workload"]["status"]["conditions"] = [
        {
            "type": "Failed",
            "status": "True",
            "reason": "DeadlineExceeded",
            "message": "Job was active too long",
        }
    ]
    assert seen(found).why == "the deadline passed (Job was active too long)"


def pod(**status):
    """A recorded pod of node 0 that has this status."""
    item = copy.deepcopy(recorded("big")["pods"][0])
    item["status"] = {"phase": "Pending", **status}
    return item


def container(**state):
    return [{"name": "trainer", "image": "i:1", "restartCount": 0, **state}]


CASES = {
    "evicted": (
        pod(phase="Failed", reason="Evicted", message="The node was low on resource: memory."),
        "failed",
        "evicted: The node was low on resource: memory.",
    ),
    "preempted": (
        pod(
            phase="Failed",
            conditions=[
                {
                    "type": "DisruptionTarget",
                    "status": "True",
                    "reason": "PreemptionByScheduler",
                    "message": "preempting to accommodate a higher priority pod",
                }
            ],
        ),
        "failed",
        "evicted (PreemptionByScheduler): preempting to accommodate a higher priority pod",
    ),
    "out of memory": (
        pod(
            phase="Failed",
            containerStatuses=container(state={"terminated": {"exitCode": 137, "reason": "OOMKilled"}}),
        ),
        "failed",
        "out of memory: the kernel killed it; raise resources.memory",
    ),
    "exit code": (
        pod(
            phase="Failed",
            containerStatuses=container(state={"terminated": {"exitCode": 3, "reason": "Error"}}),
        ),
        "failed",
        "exit code 3",
    ),
    "gated": (
        pod(
            conditions=[
                {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "message": "x"}
            ]
        ),
        "pending",
        "queued: held back by a scheduling gate",
    ),
    "config": (
        pod(
            containerStatuses=container(
                state={
                    "waiting": {"reason": "CreateContainerConfigError", "message": 'secret "hf" not found'}
                }
            )
        ),
        "pending",
        'container trainer: CreateContainerConfigError: secret "hf" not found',
    ),
    "starting": (
        pod(containerStatuses=container(state={"waiting": {"reason": "ContainerCreating"}})),
        "pending",
        "",
    ),
    "ending at once": (
        pod(phase="Running", containerStatuses=container(state={"terminated": {"exitCode": 0}})),
        "succeeded",
        "",
    ),
}


@pytest.mark.parametrize(("item", "phase", "why"), CASES.values(), ids=CASES)
def test_a_pod_says_why_it_waits_or_ended(item, phase, why):
    found = pod_of(item)
    assert (found.phase, found.why) == (phase, why)


def test_a_pod_that_cannot_mount_says_so_from_its_events():
    item = pod(containerStatuses=container(state={"waiting": {"reason": "ContainerCreating"}}))
    about = {"uid": item["metadata"]["uid"]}
    events = [
        {
            "reason": "FailedMount",
            "message": "old",
            "lastTimestamp": "2026-01-01T00:00:00Z",
            "involvedObject": about,
        },
        {
            "reason": "FailedMount",
            "message": 'configmap "x" not found',
            "lastTimestamp": "2026-01-01T00:01:00Z",
            "involvedObject": about,
        },
        {
            "reason": "FailedMount",
            "message": "another's",
            "lastTimestamp": "2026-01-01T00:02:00Z",
            "involvedObject": {"uid": "z"},
        },
    ]
    assert pod_of(item, events).why == 'FailedMount: configmap "x" not found'


def test_a_quota_that_keeps_the_pods_out_shows_in_the_events_of_the_child_job():
    events = [
        {
            "reason": "FailedCreate",
            "message": "exceeded quota: few",
            "involvedObject": {"kind": "Job", "name": "a-node-0"},
        },
        {"reason": "FailedCreate", "message": "other job", "involvedObject": {"kind": "Job", "name": "ab"}},
    ]
    assert cannot_create("a", events) == "FailedCreate: exceeded quota: few"


def test_the_latest_pod_of_a_node_counts_and_not_one_that_goes():
    old, new, going = (copy.deepcopy(recorded("big")["pods"][0]) for _ in range(3))
    for item, name, created in ((old, "old", "01"), (new, "new", "02"), (going, "going", "03")):
        item["metadata"] |= {"name": name, "creationTimestamp": f"2026-01-{created}T00:00:00Z"}
    going["metadata"]["deletionTimestamp"] = "2026-01-04T00:00:00Z"
    assert [one.name for one in newest(map(pod_of, [going, old, new]))] == ["new"]


def test_the_pod_with_the_launcher_s_word_is_believed_before_a_bare_exit_code():
    bare = pod(
        phase="Failed",
        containerStatuses=container(
            state={"terminated": {"exitCode": 1, "finishedAt": "2026-01-01T00:00:00Z"}}
        ),
    )
    told = pod(
        phase="Failed",
        containerStatuses=container(
            state={
                "terminated": {
                    "exitCode": 1,
                    "finishedAt": "2026-01-01T00:00:09Z",
                    "message": '{"code": 1, "message": "bad"}',
                }
            }
        ),
    )
    again = pod(phase="Failed", containerStatuses=container(state={"terminated": {"exitCode": 143}}))
    first = first_failed(map(pod_of, [again, bare, told]))
    assert first is not None and first.ended is not None
    assert first.ended.message == "bad"
    assert first_failed([pod_of(again)]) is None
