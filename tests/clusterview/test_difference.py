"""In what a run differs from the one that lives, in words."""

import copy
import json

import pytest

from rallypoint.cluster.difference import config_differences, workload_differences
from rallypoint.cluster.files import with_living_files
from rallypoint.cluster.objects import fitted
from rallypoint.loading import load
from rallypoint.podview import config
from rallypoint.render import render
from rallypoint.spec import KINDS

from .verb import JOB

KIND_SETS = {"statefulset": ["output.pvc=o"]}


@pytest.fixture
def objects(tmp_path):
    """Renders the small job with these --set options."""

    def rendered(*sets, kind="job"):
        (tmp_path / "job.yaml").write_text(JOB)
        loaded = load([tmp_path / "job.yaml"], [f"kind={kind}", *KIND_SETS.get(kind, []), *sets])
        return render(loaded.job, loaded.scripts)

    return rendered


def differences(old, new):
    """Lines, as apply prints them, of the ConfigMap and of all that runs."""
    found = config_differences(old[0], new[0])
    for before, after in zip(old[1:], new[1:], strict=True):
        if "spec" in after and after["kind"] not in ("Service", "NetworkPolicy", "PersistentVolumeClaim"):
            found += workload_differences(before, after)
    return sorted(map(str, found))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_job_differs_in_nothing(kind, objects):
    assert differences(objects(kind=kind), objects(kind=kind)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_another_number_of_nodes_is_told_once(kind, objects):
    assert differences(objects(kind=kind), objects("nodes=3", kind=kind)) == ["nodes: 2 -> 3"]


@pytest.mark.parametrize("kind", KINDS)
def test_another_image_is_told_once(kind, objects):
    told = differences(objects(kind=kind), objects("image=i:2", kind=kind))
    assert told == ["image: 'ghcr.io/acme/train:1' -> 'i:2'"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_variable_that_comes_and_one_that_goes_are_told(kind, objects):
    told = differences(objects("env.OLD=a", kind=kind), objects("env.NEW=b", kind=kind))
    assert [line.partition("].env")[2] for line in told] == [
        '[NEW]: {"name": "NEW", "value": "b"} is new', '[OLD]: {"name": "OLD", "value": "a"} is gone'
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "sets"),
    [("job", ["suspend=true"]), ("job", ["ttl=1h"]), ("job", ["deadline=1h"]), ("job", ["labels.team=a"]),
     ("jobset", ["suspend=true"]), ("jobset", ["ttl=1h"]), ("pytorchjob", ["suspend=true", "ttl=1h"]),
     ("trainjob", ["suspend=true"]), ("statefulset", ["annotations.note=x"])],
)  # fmt: skip
def test_what_may_change_in_place_is_no_difference(kind, sets, objects):
    assert differences(objects(kind=kind), objects(*sets, kind=kind)) == []
    assert differences(objects(*sets, kind=kind), objects(kind=kind)) == []


def test_a_quantity_in_the_server_s_spelling_is_the_same(objects):
    old = objects("resources.cpu=0.5", "resources.memory=1Gi")
    limits = old[-1]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    limits |= {"cpu": "500m", "memory": "1024Mi"}
    assert differences(old, objects("resources.cpu=0.5", "resources.memory=1Gi")) == []


def test_what_the_server_adds_is_no_difference(objects):
    old = objects()
    spec = old[-1]["spec"]["template"]["spec"]
    spec |= {
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "nodeSelector": {"flavor": "a"},
    }
    spec["containers"][0]["terminationMessagePath"] = "/dev/termination-log"
    assert differences(old, objects()) == []


def test_what_we_set_and_no_longer_do_is_gone(objects):
    old = objects("scheduling.priority_class=high")
    fields = {"f:spec": {"f:template": {"f:spec": {"f:priorityClassName": {}}}}}
    old[-1]["metadata"]["managedFields"] = [{"manager": "rallypoint", "fieldsV1": fields}]
    assert differences(old, objects()) == ["pod: priorityClassName: 'high' is gone"]


def test_a_changed_script_is_told_by_its_name(objects):
    old, new = (objects("script.module=null", f"script.inline=print({i})") for i in (1, 2))
    (told, *_) = (line for line in differences(old, new) if line.startswith("files."))
    assert told.startswith("files.inline.py: 'text ")


@pytest.mark.parametrize("kind", KINDS)
def test_the_launcher_of_another_release_stays(kind, objects, monkeypatch):
    new = objects(kind=kind)
    monkeypatch.setattr(config, "launcher_files", lambda: {"__main__.py": "# older"})
    old = objects(kind=kind)
    assert differences(old, new) == []
    living = {(item["kind"], item["metadata"]["name"]): item for item in old}
    sent, others = with_living_files(new, living)
    assert others
    assert [item for item in old if item != old[1]] == sent
    assert with_living_files(new, {}) == (new, False)
    assert with_living_files(old, living) == (old, False)


def test_a_contract_in_another_layout_stays(objects):
    old = objects()[0]
    old["data"]["contract.json"] = json.dumps(json.loads(old["data"]["contract.json"]))
    assert config_differences(old, objects()[0]) == []
    assert fitted(objects()[0], old) == (old, [])


@pytest.mark.parametrize("kind", ["job", "jobset"])
def test_the_pods_labels_stay_where_they_cannot_change(kind, objects):
    old, new = objects(kind=kind)[-1], objects("labels.team=a", kind=kind)[-1]
    sent, notices = fitted(new, old)
    assert sent["metadata"]["labels"]["team"] == "a"
    assert {**sent, "metadata": None} == {**old, "metadata": None}
    assert len(notices) == 1
    assert fitted(old, old) == (old, [])


def test_a_statefulset_that_was_scaled_down_stays_so(objects):
    old = objects(kind="statefulset")[-1]
    living = copy.deepcopy(old)
    living["spec"]["replicas"] = 0
    assert fitted(old, living)[0]["spec"]["replicas"] == 0
    assert fitted(old, old)[0]["spec"]["replicas"] == 2
