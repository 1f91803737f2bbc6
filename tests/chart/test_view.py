"""The chart decides what Python's view decides, field by field; its notes say what to do next."""

import pytest

from chart.random_values import KINDS, values
from chart.twin import differences, in_order, inside
from rallypoint.loading import load
from rallypoint.podview import notices, view
from rallypoint.render import to_yaml


def loaded_and_inside(spec, tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text(to_yaml([spec]))
    options = ["--namespace", spec["namespace"]] if "namespace" in spec else []
    return load([path]), inside(path.read_text(), *options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1, 3, 5, 8])
def test_the_chart_decides_what_the_view_decides(kind, seed, tmp_path):
    spec = {"name": "a", **values(kind, seed)}
    loaded, (decided, _) = loaded_and_inside(spec, tmp_path)
    expected = view(loaded.job, loaded.scripts).names()
    del expected["config_data"], expected["files_data"]  # compared as the ConfigMaps
    expected["claims"] = [claim._asdict() for claim in expected["claims"]]
    assert differences(in_order(expected), in_order(decided)) == []


BEYOND_RESTRICTED = {
    "name": "a",
    "image": "x",
    "script": {"module": "x"},
    "volumes": [{"mount": "/h", "hostPath": {"path": "/h"}}],
    "network": {"host_network": True, "rdma": {"resource": "rdma/hca"}},
    "security": {"user": 0, "privileged": True, "capabilities": ["SYS_PTRACE"]},
}


def test_notes_name_what_needs_more_than_restricted_as_the_command_line_does(tmp_path):
    loaded, (_, notes) = loaded_and_inside(BEYOND_RESTRICTED, tmp_path)
    assert [line for line in notices(loaded.job) if line not in notes] == []


@pytest.mark.parametrize(("added", "level"), [("NET_BIND_SERVICE", "restricted"), ("CHOWN", "baseline")])
def test_notes_name_the_level_of_capabilities(added, level, tmp_path):
    spec = {"name": "a", "image": "x", "script": {"module": "x"}, "security": {"capabilities": [added]}}
    loaded, (_, notes) = loaded_and_inside(spec, tmp_path)
    assert notices(loaded.job) == (f"security.capabilities: need the Pod Security level {level}",)
    assert notices(loaded.job)[0] in notes


def notes_of(tmp_path, **keys):
    spec = {"name": "a", "image": "x", "script": {"module": "x"}, **keys}
    return loaded_and_inside(spec, tmp_path)[1][1]


def test_notes_give_the_command_for_node_zeros_log(tmp_path):
    wanted = "logs -f -l rallypoint.dev/job=a,batch.kubernetes.io/job-completion-index=0"
    assert wanted in notes_of(tmp_path)


def test_notes_of_an_ordinary_job_name_no_level(tmp_path):
    assert "Pod Security level" not in notes_of(tmp_path)


def test_notes_say_that_claims_stay(tmp_path):
    assert "delete pvc made" in notes_of(tmp_path, output={"pvc": "made", "size": "1Gi"})


def test_notes_of_a_statefulset_give_the_scale_command(tmp_path):
    notes = notes_of(tmp_path, kind="statefulset", output={"pvc": "there"})
    assert "scale statefulset a --replicas=0" in notes
