"""The fault matrix, part one: a training process fails, and its node stays."""

import os
import shutil
import signal
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def recovered_in_place(sim, since, saw, used, more=""):
    back = sim.running(since=since)
    assert sim.launches() == [1] * sim.nodes
    assert sim.used() == used
    saw(f"running again; launches {sim.launches()}, restarts used {used}{more}", back - since)


def test_a_rank_that_raises_is_blamed(make, saw):
    sim = make().up()
    sim.running()
    sim.fault(1, "raise")
    at = sim.happened("fault")
    sim.wait(lambda: sim.said(3, "again because"))
    blamed = sim.said(3, r"again because (.*?);")[-1]
    assert blamed.startswith("rank 1 on node 1: ValueError: bad batch at step")
    recovered_in_place(sim, at, saw, 1, f"; {blamed}")


def test_a_rank_that_segfaults_is_blamed(make, saw):
    sim = make().up()
    sim.running()
    sim.fault(2, "segv")
    at = sim.happened("fault")
    sim.wait(lambda: sim.said(3, "again because rank 2 on node 2: killed by SIGSEGV"))
    recovered_in_place(sim, at, saw, 1)


def test_a_process_that_hangs_is_stopped_when_a_node_is_lost(make, saw):
    sim = make().up()
    sim.running()
    sim.fault(1, "hang")
    at = sim.happened("fault")
    sim.pods[2].signal(signal.SIGKILL)
    back = sim.running(since=at)
    assert sim.launches() == [1, 1, 2, 1]
    assert sim.used() == 0
    saw(f"running again; launches {sim.launches()}, restarts used 0", back - at)


def test_the_same_failure_three_times_ends_the_job(make, saw):
    sim = make(max_restarts=10)
    sim.fault(1, "raise", at=30, always=True)
    sim.up()
    assert sim.ended() == [1] * 4
    assert sum(what.startswith("fault") for _, _, what in sim.events()) == 3
    told = sim.termination(2)
    assert (
        "the same failure 3 times in a row: rank 1 on node 1: ValueError: bad batch at step 30"
        in told["message"]
    )
    assert (told["rank"], told["node"], told["step"]) == (1, 1, 30)
    assert told["traceback"].strip().endswith("ValueError: bad batch at step 30")
    assert sim.marker("failed.json")["code"] == 1
    assert sim.marker("failed.json")["step"] == 30
    saw(f"1, 1, 1, 1; {told['message']}")


def test_restarts_that_are_used_up_end_the_job(make, saw):
    sim = make(max_restarts=2).up()
    at = sim.running()
    for what in ("raise", "segv", "raise"):
        sim.fault(1, what)
        at = sim.happened("fault", since=at)
        if sim.used() < 2:
            at = sim.wait(lambda at=at: sim.pods[0].over or sim.running(since=at))
    assert sim.ended() == [1] * 4
    message = sim.termination(2)["message"]
    assert message.startswith("failed 3 times, max_restarts 2 used up; last: rank 1 on node 1: ValueError")
    saw(f"1, 1, 1, 1; {message}")


def test_max_restarts_0_ends_at_the_first_failure(make, saw):
    sim = make(max_restarts=0)
    sim.fault(3, "raise", at=5)
    sim.up()
    assert sim.ended() == [1] * 4
    saw(sim.termination(0)["message"])
    assert "rank 3 on node 3" in sim.termination(0)["message"]


def test_a_process_that_stops_with_143_by_itself_is_free(make, saw):
    sim = make().up()
    sim.running()
    sim.fault(2, "exit143")
    at = sim.happened("fault")
    recovered_in_place(sim, at, saw, 0)


def test_a_rank_that_is_slow_to_end_after_its_failure_is_still_blamed(make, saw):
    sim = make(environment={"NO_HANDLER": "1"}).up()
    sim.running()
    sim.fault(1, "slow-raise")
    at = sim.happened("fault")
    sim.wait(lambda: sim.said(3, "again because"))
    assert sim.said(3, r"again because (.*?);")[-1].startswith("rank 1 on node 1: ValueError: bad batch")
    recovered_in_place(sim, at, saw, 1)


def test_a_stop_by_the_launcher_is_no_stop_after_a_save(make, saw):
    sim = make(nodes=2, nproc=2, environment={"EXIT_143_ON_STOP": "1"}).up()
    at = sim.running()
    os.kill(sim.pods[1].processes()[0], signal.SIGSEGV)
    sim.wait(lambda: sim.said(1, "again because rank 2 on node 1: killed by SIGSEGV"))
    back = sim.running(since=at)
    assert sim.used() == 1
    saw("running again; restarts used 1", back - at)


def test_a_rank_killed_for_memory_counts_and_is_named(make, namespaces, saw):
    cgroup = Path("/sys/fs/cgroup/memory/rallypoint-test")
    if not cgroup.parent.is_dir() or not os.access(cgroup.parent, os.W_OK):
        pytest.skip("needs a writable cgroup v1 memory controller")
    cgroup.mkdir(exist_ok=True)
    (cgroup / "memory.limit_in_bytes").write_text(str(400 << 20))
    sim = make()
    sim.pods[2].cgroup = cgroup
    try:
        sim.up()
        sim.running()
        sim.fault(2, "memory")
        at = sim.happened("fault")
        sim.wait(
            lambda: sim.said(
                3, "again because rank 2 on node 2: killed by the kernel: the container's memory"
            )
        )
        recovered_in_place(sim, at, saw, 1, "; " + sim.said(3, "again because (.*?);")[-1])
    finally:
        sim.close()
        sim.wait(lambda: not (cgroup / "cgroup.procs").read_text(), what="empty cgroup")
        shutil.os.rmdir(cgroup)


def test_a_missing_script_ends_every_node_with_2(make, saw):
    sim = make(script={"file": "nowhere.py"}).up()
    assert sim.ended() == [2] * 4
    assert "nowhere.py" in sim.termination(1)["message"]
    saw(
        sim.termination(1)["message"].replace(str(sim.folder), "").replace(sim.fields["workdir"], "<workdir>")
    )
