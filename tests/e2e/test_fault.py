"""What goes wrong on purpose: wrong input ends a job at once, a lost pod costs nobody else theirs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ..cluster.progress import wait_until
from .conftest import Start
from .kind import BY_NAME, Kind
from .programs import HOLD, MEET, VERBATIM, WRONG
from .run import Run

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

AWKWARD = [
    "$(RANK)",
    "$$(RANK)",
    "$",
    "a b",
    "it's",
    '"quoted"',
    "{{ x }}",
    "#no",
    "- x",
    "\ttab",
    "two\nlines",
    "%s",
]


def ended(pod: dict[str, Any]) -> dict[str, Any]:
    """How the pod's last finished container ended; empty while there is none."""
    (status,) = pod["status"].get("containerStatuses") or [{}]
    both = {**status.get("lastState", {}), **status.get("state", {})}
    return dict(both.get("terminated", {}))


def messages(run: Run) -> list[dict[str, Any]]:
    """The termination messages that a person can read in the pods."""
    pods = run.get("pods", "--selector", f"rallypoint.dev/job={run.name}")
    return [json.loads(ended(pod)["message"]) for pod in pods if ended(pod).get("message")]


def test_exit_2_ends_the_job_at_once(kind: Kind, start: Start) -> None:
    run = start(kind, f"wrong-{kind.name}", MEET + WRONG)
    if kind.failed is None:
        wait_until("failed.json", (run.folder / "failed.json").exists, 120)
        told = [json.loads((run.folder / "failed.json").read_text())]
    else:
        run.wait_for(kind.failed)
        told = messages(run)
    assert told
    assert {(message["code"], message["rank"], message["node"]) for message in told} == {(2, 1, 1)}
    once(run)


def once(run: Run) -> None:
    """No node has had a second pod, or begun a second round in its first; a StatefulSet's pods idle then."""
    pods = run.pods().values()
    if run.kind.failed is None:
        wait_until("the pods to idle", lambda: all("idle until" in run.log(pod) for pod in pods), 60)
    rounds = [re.findall(r" round (\d+): ", run.all_logs(pod)) for pod in pods]
    assert [begun for begun in rounds if begun not in (["1"], [])] == []  # a pod may be gone by now
    assert ["1"] in rounds
    assert run.pods_ever() == 3


@pytest.mark.parametrize("index", [1, 0])
def test_a_lost_pod_comes_back_and_the_others_stay(kind: Kind, index: int, start: Start) -> None:
    run = start(kind, f"lost-{index}-{kind.name}", MEET + HOLD)
    run.wait_for_ranks(3)
    before = {i: pod["metadata"]["uid"] for i, pod in run.pods().items()}
    run.kubectl("delete", "pod", run.pods()[index]["metadata"]["name"], "--grace-period=0", "--force")
    run.wait_for_ranks(3, rounds_before=1)
    after = {i: pod["metadata"]["uid"] for i, pod in run.pods().items()}
    assert [i for i in range(3) if before[i] != after[i]] == [index]
    run.let_go()
    run.wait_until_done()


def test_awkward_strings_arrive_as_they_are(kind: Kind, start: Start) -> None:
    env = {f"AWKWARD_{i}": text for i, text in enumerate(AWKWARD)}
    run = start(kind, f"verbatim-{kind.name}", MEET + VERBATIM, nodes=1, args=AWKWARD, env=env)
    run.wait_until_done()
    assert run.told(0)["arguments"] == AWKWARD
    assert run.told(0)["given"] == env


def test_a_statefulset_that_is_done_idles_and_does_not_run_again(start: Start) -> None:
    run = start(BY_NAME["statefulset"], "idle", MEET + HOLD)
    run.wait_for_ranks(3)
    run.let_go()
    run.wait_until_done()
    told = (run.folder / "rank-1.json").stat().st_mtime_ns
    lost = run.pods()[1]["metadata"]
    run.kubectl("delete", "pod", lost["name"], "--grace-period=1")
    run.kubectl("wait", f"pod/{lost['name']}", "--for=create", "--timeout=30s")
    run.kubectl("wait", f"pod/{lost['name']}", "--for=condition=Ready", "--timeout=60s")
    wait_until("the new pod to find the marker", lambda: "idle until" in run.log(run.pods()[1]), 30)
    restarts = [pod["status"]["containerStatuses"][0]["restartCount"] for pod in run.pods().values()]
    assert max(restarts) <= 1  # the kubelet starts it once more after its end, then it idles
    assert (run.folder / "rank-1.json").stat().st_mtime_ns == told
