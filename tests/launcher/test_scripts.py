"""Scripts that use torch and the stock Trainer, under real launchers."""

import pytest

pytest.importorskip("transformers")
pytestmark = pytest.mark.slow


def trainer(make, *arguments, **more):
    return make(script={"file": "trainer_script.py", "args": list(arguments)}, **{"nodes": 3, **more}).up()


@pytest.mark.parametrize(
    ("nodes", "arguments"), [(3, ()), (2, ("--gloo",))], ids=["plain", "ddp_backend gloo"]
)
def test_a_stock_trainer_that_would_train_copies_ends_with_1_and_says_so(make, saw, nodes, arguments):
    sim = trainer(make, *arguments, nodes=nodes)
    assert sim.ended(seconds=280) == [1] * nodes
    message = sim.termination(0)["message"]
    assert f"{nodes} copies would be trained" in message
    assert "use_cpu=True" in message
    assert sum(pod.log().count("trained\n") for pod in sim.pods) == 0
    assert sum(what.count("round 2") for what in [pod.log() for pod in sim.pods]) == 0  # not tried again
    saw(f"{', '.join('1' * nodes)}; {message}")


def test_a_stock_trainer_with_use_cpu_and_data_loader_workers_passes_silently(make, saw):
    sim = trainer(make, "--use-cpu", "--workers", nodes=2)
    assert sim.ended(seconds=280) == [0] * 2
    assert sum(pod.log().count("trained\n") for pod in sim.pods) == 2
    assert not any("terminate called" in pod.log() or "copies" in pod.log() for pod in sim.pods)
    saw("0, 0")


def test_a_stock_trainer_under_torchs_agent_is_watched_too(make, saw):
    sim = trainer(make, nodes=2, agent="torchrun", max_restarts=0)
    for pod in sim.pods:
        pod.back = None
    assert 1 in sim.ended(seconds=280)
    assert any("2 copies would be trained" in pod.log() for pod in sim.pods)
    saw(str([pod.code() for pod in sim.pods]))


def test_a_gloo_program_that_loses_a_rank_blames_the_right_one(make, saw):
    sim = make(script={"file": "gloo_script.py"}, nodes=3, max_restarts=0).up()
    assert sim.ended(seconds=280) == [1] * 3
    assert sim.termination(0)["message"].endswith("rank 1 on node 1: ValueError: bad batch (step 5)")
    saw(sim.termination(0)["message"])
