"""The fault matrix, part four: the way to node 0."""

import pytest

from launcher.network import BLACK_HOLE, address

pytestmark = pytest.mark.slow


def test_a_name_that_is_late_wrong_and_right_at_last_is_followed(make, namespaces, saw):
    sim = make()
    for index in (1, 2, 3):
        sim.hosts(index, None)
    sim.up(1, 2, 3)
    why = lambda: " ".join(sim.said(3, r"waiting for node 0: (.*?); since"))  # noqa: E731
    sim.wait(lambda: "the name rdzv does not resolve" in why())
    for index in (1, 2, 3):
        sim.hosts(index, address(4))
    sim.wait(lambda: f"nobody listens yet at rdzv:29400 = {address(4)} (connection refused)" in why())
    for index in (1, 2, 3):
        sim.hosts(index, BLACK_HOLE)
    sim.wait(lambda: BLACK_HOLE in why())
    for index in (1, 2, 3):
        sim.hosts(index, address(0))
    sim.up(0)
    started = sim.pods[0].starts
    back = sim.running()
    assert sim.launches() == [1] * 4
    saw("said: does not resolve, connection refused, cannot be reached; then running", back - started[0])


def test_another_jobs_store_is_not_joined(make, namespaces, saw):
    other = make("other", nodes=1, name="other")
    other.pods[0].network = 4
    other.up()
    sim = make("ours")
    for index in (1, 2, 3):
        sim.hosts(index, address(4))
    sim.up()
    sim.wait(
        lambda: sim.said(3, r"rdzv:29400 belongs to another job \(other-[0-9a-f]{8}\)"), 20, "it says so"
    )
    for index in (1, 2, 3):
        sim.hosts(index, address(0))
    back = sim.running()
    assert sim.launches() == [1] * 4
    saw("said: belongs to another job; then running with its own", back - sim.t0)


def test_node_zero_may_come_last(make, saw):
    sim = make().up(1, 2, 3)
    sim.wait(lambda: sim.said(3, "waiting for node 0: nobody listens yet"))
    sim.up(0)
    back = sim.running()
    saw("running", back - sim.pods[0].starts[0])


def test_one_node_that_is_slow_to_come_is_named(make, saw):
    sim = make().up(0, 1, 3)
    sim.wait(lambda: sim.said(1, "waiting for node 2; since"))
    sim.up(2)
    back = sim.running()
    saw("said: waiting for node 2; then running", back - sim.pods[2].starts[0])


def test_nobody_ever_listens_ends_with_143(make, saw):
    sim = make(rendezvous_timeout_seconds=3)
    sim.pods[1].back = None
    sim.up(1)
    assert sim.ended(1) == [143]
    message = sim.termination(1)["message"]
    assert "for node 0: nobody listens yet at" in message
    saw(message.split(" at ")[0])


def test_a_taken_port_is_said_and_waited_for(make, saw):
    import socket

    sim = make(nodes=1, on=None)
    port = int(sim.fields["endpoint"].split(":")[1])
    with socket.create_server(("127.0.0.1", port)):
        sim.up()
        sim.wait(lambda: sim.said(0, f"cannot listen on port {port}"), 20, "it says so")
    sim.running()
    saw("said: cannot listen; then running")
