"""Every object against the API server's own schemas, unknown fields refused."""

from copy import deepcopy

import pytest

from random_specs import KINDS
from render.cases import EVERYTHING, WRITTEN, random
from render.crd import faults


@pytest.mark.parametrize("case", EVERYTHING, ids=lambda case: case.id)
def test_every_object_is_valid(case):
    assert [fault for item in case.objects for fault in faults(item)] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 1200, 20))
@pytest.mark.parametrize("kind", KINDS)
def test_twenty_more_random_specs_are_valid(kind, first):
    cases = (random(kind, seed) for seed in range(first, first + 20))
    assert [(case.id, fault) for case in cases for item in case.objects for fault in faults(item)] == []


def test_each_kind_of_object_is_among_the_cases():
    kinds = {item["kind"] for case in WRITTEN for item in case.objects}
    assert kinds == {
        "ConfigMap",
        "PersistentVolumeClaim",
        "Service",
        "NetworkPolicy",
        "Job",
        "StatefulSet",
        "PyTorchJob",
        "JobSet",
        "TrainingRuntime",
        "TrainJob",
    }


def one(kind):
    return deepcopy(next(item for case in WRITTEN for item in case.objects if item["kind"] == kind))


@pytest.mark.parametrize(
    "kind",
    ["ConfigMap", "Service", "NetworkPolicy", "Job", "StatefulSet", "PyTorchJob", "JobSet", "TrainJob"],
)
def test_an_unknown_field_is_seen(kind):
    item = one(kind)
    item.get("spec", item)["unknownField"] = 1
    assert "unknownField" in " ".join(faults(item))


def test_a_number_for_nproc_per_node_is_seen():
    item = one("PyTorchJob")
    item["spec"]["nprocPerNode"] = 1
    assert "is not of type 'string'" in " ".join(faults(item))


def test_an_unknown_field_of_a_container_in_a_jobset_is_seen():
    item = one("JobSet")
    pod = item["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["restarts"] = 1
    assert "restarts" in " ".join(faults(item))


def test_a_variable_given_twice_is_seen():
    item = one("JobSet")
    pod = item["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["env"] *= 2
    assert "twice" in " ".join(faults(item))
