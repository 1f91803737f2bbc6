"""The environment and the devices of local nodes."""

import pytest

from rallypoint.errors import InputError, SpecError
from rallypoint.run import devices, environment
from rallypoint.spec import Job

HERE = {"PATH": "/bin", "CUDA_VISIBLE_DEVICES": "0,1,2,3"}


def job(**changes):
    return Job.model_validate({"name": "tiny", "nodes": 2, "script": {"module": "m"}, **changes})


def test_a_secret_comes_from_the_local_variable_of_the_same_name():
    spec = job(env={"HF_TOKEN": {"secret": "hf", "key": "token"}})
    found = environment.node_environments(spec, {**HERE, "HF_TOKEN": "abc"})
    assert [node["HF_TOKEN"] for node in found] == ["abc", "abc"]


def test_every_missing_secret_is_named():
    spec = job(env={"A": {"secret": "s", "key": "k"}, "B": {"config_map": "c", "key": "k"}})
    with pytest.raises(SpecError) as error:
        environment.node_environments(spec, HERE)
    assert str(error.value).splitlines() == [
        "env.A: comes from Secret 's' on a cluster and from A here, which is not set; export A=...",
        "env.B: comes from ConfigMap 'c' on a cluster and from B here, which is not set; export B=...",
    ]


def test_a_pods_field_has_a_plausible_value():
    found = environment.node_environments(job(env={"POD": {"field": "metadata.name"}}), HERE)
    assert [node["POD"] for node in found] == ["tiny-0", "tiny-1"]


def test_a_pods_field_without_a_local_meaning_is_left_out_with_a_notice():
    spec = job(env={"UID_OF_POD": {"field": "metadata.uid"}})
    assert "UID_OF_POD" not in environment.node_environments(spec, HERE)[0]
    assert environment.environment_notices(spec) == [
        "env.UID_OF_POD: the pod's metadata.uid is left out here"
    ]


def test_env_from_is_told_of():
    assert (
        "'all-keys' is not read here"
        in environment.environment_notices(job(env_from=[{"secret": "all-keys"}]))[0]
    )


def test_threads_share_the_cores(monkeypatch):
    monkeypatch.setattr(environment, "cores", lambda: 16)
    assert environment.node_environments(job(nproc_per_node=2), HERE)[0]["OMP_NUM_THREADS"] == "4"


def test_threads_are_one_at_least(monkeypatch):
    monkeypatch.setattr(environment, "cores", lambda: 2)
    assert environment.threads(job(nodes=12)) == 1


@pytest.mark.parametrize("where", ["shell", "job"])
def test_the_users_threads_win(where):
    spec = job(env={"OMP_NUM_THREADS": "7"}) if where == "job" else job()
    here = {**HERE, "OMP_NUM_THREADS": "7"} if where == "shell" else HERE
    assert environment.node_environments(spec, here)[0]["OMP_NUM_THREADS"] == "7"


def test_a_cpu_job_sees_no_gpu():
    assert environment.node_environments(job(), HERE)[1]["CUDA_VISIBLE_DEVICES"] == ""


def test_nodes_get_disjoint_gpus():
    assert devices.visible_devices(job(resources={"gpus": 2}), HERE) == ["0,1", "2,3"]


@pytest.mark.parametrize(
    ("nodes", "gpus", "here", "fits"),
    [
        (2, 8, "0,1,2,3", "--set resources.gpus=2"),
        (2, 8, "0", "--set nodes=1 --set resources.gpus=1"),
        (2, 8, "", "--set resources.gpus=0"),
        (1, 8, "0,1", "--set resources.gpus=2"),
        (2, 1, "3,-1,4", "--set nodes=1 --set resources.gpus=1"),
    ],
)
def test_too_few_gpus_say_what_would_fit(nodes, gpus, here, fits):
    with pytest.raises(InputError) as error:
        devices.visible_devices(job(nodes=nodes, resources={"gpus": gpus}), {"CUDA_VISIBLE_DEVICES": here})
    assert str(error.value).endswith(f"this would fit: {fits}")


def test_what_is_said_to_fit_does_fit():
    with pytest.raises(InputError) as error:
        devices.visible_devices(job(nproc_per_node=8, resources={"gpus": 8}), HERE)
    sets = dict(pair.split("=") for pair in str(error.value).split("--set ")[1:])
    sets = {key.strip(): int(value) for key, value in sets.items()}
    smaller = job(nproc_per_node=sets["nproc_per_node"], resources={"gpus": sets["resources.gpus"]})
    assert devices.visible_devices(smaller, HERE) == ["0,1", "2,3"]


LISTING = """GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bbbb)
"""
MIG = """GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-aaaa)
  MIG 1g.5gb      Device  0: (UUID: MIG-1111)
  MIG 1g.5gb      Device  1: (UUID: MIG-2222)
"""


@pytest.mark.parametrize(("listing", "names"), [(LISTING, ["0", "1"]), (MIG, ["MIG-1111", "MIG-2222"])])
def test_gpus_are_those_that_nvidia_smi_lists(tmp_path, monkeypatch, listing, names):
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{listing}END\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert devices.devices({}) == names


def test_a_rank_left_in_the_shell_does_not_reach_the_job():
    assert "RANK" not in environment.node_environments(job(), {**HERE, "RANK": "7"})[0]
