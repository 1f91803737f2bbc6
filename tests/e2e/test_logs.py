"""`rallypoint logs` on a real cluster: one node, all, and on over a lost pod."""

from __future__ import annotations

import signal
import time

import pytest

from .cli import begun
from .kind import BY_NAME, Kind
from .programs import HOLD, MEET
from .typed_fixture import Type, written  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]


def test_logs_of_one_node_and_of_all(kind: Kind, written: Type) -> None:  # noqa: F811
    job = written(kind, f"logs-{kind.name}", MEET + HOLD, nodes=2)
    assert job.apply().returncode == 0
    job.run.wait_for_ranks(2)
    assert '"rank": 0' in job.verb("logs").stdout
    assert '"rank": 1' in job.verb("logs", "--node", "1").stdout
    every = job.verb("logs", "--all").stdout.splitlines()
    assert {line.partition(": ")[0] for line in every} == {"node 0", "node 1"}
    assert len(job.verb("logs", "--tail", "1").stdout.splitlines()) == 1
    assert job.verb("logs", "--rank", "9").returncode == 2


def test_follow_goes_on_with_the_next_pod_and_ends_with_the_job(kind: Kind, written: Type) -> None:  # noqa: F811
    job = written(kind, f"follow-{kind.name}", MEET + HOLD, nodes=2)
    assert job.apply().returncode == 0
    following = begun("logs", job.name, "-f", "--namespace", job.namespace)
    assert following.stdout is not None
    first = next(line for line in following.stdout if '"rank": 0' in line)  # it follows before the pod goes
    job.run.wait_for_ranks(2)
    job.run.kubectl("delete", "pod", job.run.pods()[0]["metadata"]["name"], "--grace-period=0", "--force")
    job.run.wait_for_ranks(2, rounds_before=1)
    job.run.let_go()
    out, err = following.communicate(timeout=180)
    assert following.returncode == 0, err
    rounds = [first, *(line for line in out.splitlines() if '"rank": 0' in line)]
    assert ['"round": 0' in rounds[0], '"round": 1' in rounds[-1]] == [True, True]
    assert len(rounds) == len(set(rounds))
    assert "started again" in err


def test_ctrl_c_ends_at_once_without_a_traceback(written: Type) -> None:  # noqa: F811
    job = written(BY_NAME["job"], "ctrl-c", MEET + HOLD, nodes=1)
    assert job.apply().returncode == 0
    job.run.wait_for_ranks(1)
    for words in (["logs", job.name, "-f", "--all"], ["wait", job.name], ["status", job.name, "--watch"]):
        process = begun(*words, "--namespace", job.namespace)
        stream = process.stderr if words[0] == "wait" else process.stdout
        assert stream is not None
        stream.readline()
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert (process.returncode, "Traceback" in err) == (130, False)
        assert time.monotonic() - began < 5
