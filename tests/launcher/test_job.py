"""The contract as the launcher reads it, and what it refuses."""

import json

import job
import pytest

CONTRACT = {
    "version": 1, "name": "mrpc", "nodes": 3, "nproc_per_node": 2, "gpus": 0, "endpoint": "mrpc-rdzv:29400",
    "agent": "rallypoint", "rendezvous_timeout_seconds": 900, "max_restarts": 3, "grace_period_seconds": 60,
    "output": "/output/mrpc", "workdir": "/workspace", "idle_when_done": False, "image": None, "debug": False,
    "files": {}, "script": {"file": "train.py", "args": []},
}  # fmt: skip


def read(tmp_path, index="1", **changes):
    path = tmp_path / "contract.json"
    path.write_text(json.dumps({**CONTRACT, **changes}))
    return job.job_of(str(path), {job.INDEX_VARIABLE: index} if index is not None else {})


def refusal(tmp_path, index="1", **changes):
    with pytest.raises(job.BadContractError) as caught:
        read(tmp_path, index, **changes)
    return str(caught.value)


def test_ranks_are_in_node_order(tmp_path):
    found = read(tmp_path)
    assert [found.rank(local) for local in range(2)] == [2, 3]


def test_the_host_and_port_are_those_of_the_endpoint(tmp_path):
    found = read(tmp_path)
    assert (found.host, found.port) == ("mrpc-rdzv", 29400)


def test_an_ipv6_endpoint_stands_in_brackets():
    assert job.endpoint("[fd00::1]:29400") == ("fd00::1", 29400)


def test_the_run_id_is_the_same_for_the_same_run_elsewhere():
    assert job.run_id(CONTRACT) == job.run_id(
        {**CONTRACT, "endpoint": "127.0.0.1:1", "output": "./output/mrpc"}
    )


@pytest.mark.parametrize(
    "change", [{"nodes": 2}, {"script": {"file": "other.py"}}, {"files": {"a": "b"}}], ids=str
)
def test_the_run_id_of_another_run_is_another(change):
    assert job.run_id(CONTRACT) != job.run_id({**CONTRACT, **change})


def test_the_run_id_begins_with_the_name():
    assert job.run_id(CONTRACT).startswith("mrpc-")


@pytest.mark.parametrize(("grace", "seconds"), [(60, 45), (8, 6), (600, 585)])
def test_the_processes_have_less_than_the_grace_period(grace, seconds):
    assert job.stop_seconds(grace) == seconds


def test_a_missing_contract_is_said(tmp_path):
    with pytest.raises(job.BadContractError, match="there is no contract; mount"):
        job.job_of(str(tmp_path / "none.json"), {})


def test_broken_json_is_said_with_its_place(tmp_path):
    path = tmp_path / "contract.json"
    path.write_text('{"version": 1,\n oops')
    with pytest.raises(job.BadContractError, match="line 2, column 2"):
        job.job_of(str(path), {})


def test_an_unknown_version_says_to_rebuild_the_image(tmp_path):
    assert "rebuild the image" in refusal(tmp_path, version=2)


def test_a_missing_node_index_is_said(tmp_path):
    assert (
        refusal(tmp_path, index=None) == "RALLYPOINT_NODE_INDEX: not set; it comes from the pod's index label"
    )


@pytest.mark.parametrize("index", ["3", "-1", "one", "1.0", " 1"])
def test_a_node_index_out_of_range_is_said(tmp_path, index):
    assert refusal(tmp_path, index).endswith(f"must be 0 to 2 for 3 nodes (got {index!r})")


@pytest.mark.parametrize("key", ["endpoint", "nodes", "workdir"])
def test_a_contract_without_a_key_is_named(tmp_path, key):
    path = tmp_path / "contract.json"
    path.write_text(json.dumps({k: v for k, v in CONTRACT.items() if k != key}))
    with pytest.raises(job.BadContractError, match=f"the contract has no '{key}'"):
        job.job_of(str(path), {job.INDEX_VARIABLE: "0"})


@pytest.mark.parametrize("text", ["host", "host:", ":29400", "host:99999"])
def test_an_endpoint_that_is_none_is_refused(tmp_path, text):
    assert refusal(tmp_path, endpoint=text) == f"endpoint: must be host:port (got {text!r})"


def test_nodes_that_are_no_number_are_damage(tmp_path):
    assert "the contract is damaged" in refusal(tmp_path, nodes="three")
