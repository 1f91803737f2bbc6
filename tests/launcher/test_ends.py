"""Real launchers on simulated pods, the quick cases: how a job ends."""

import signal


def test_a_job_ends_with_0_on_every_node(make, saw):
    sim = make(environment={"STEPS": "30"}).up()
    assert sim.ended() == [0] * 4
    saw("0, 0, 0, 0")
    assert sim.marker("done.json")["rounds"] == 1


def test_exit_2_of_a_process_ends_every_node_with_2(make, saw):
    sim = make()
    sim.fault(3, "exit2", at=5)
    sim.up()
    assert sim.ended() == [2] * 4
    assert (
        sim.termination(0)["message"]
        == "rank 3 on node 3: ValueError: column 'label' is not in the dataset (step 5)"
    )
    saw(sim.termination(0)["message"])


def test_a_killed_process_uses_a_restart_and_the_launchers_stay(make, saw):
    sim = make().up()
    sim.running()
    at = sim.happened("first")
    sim.pods[2].processes()
    import os

    os.kill(sim.pods[2].processes()[0], signal.SIGKILL)
    back = sim.running(since=at)
    assert sim.launches() == [1] * 4
    assert sim.used() == 1
    saw(f"launches {sim.launches()}, restarts used {sim.used()}", back - at)
