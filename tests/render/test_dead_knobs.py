"""No dead knobs: every field of the spec changes something, on every kind that has it.

A field changes an object other than the ConfigMaps; or it is for the launcher or the trainer, who find it in
the contract; or the kind refuses it.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from rallypoint.errors import SpecError
from rallypoint.render import objects as printing
from rallypoint.render import render
from rallypoint.spec import Job
from rallypoint.spec.fields import all_fields
from rallypoint.spec.storage import VOLUME_SOURCES
from random_specs import KINDS

ROOT = Path(__file__).parents[2]
MIN = {"name": "mrpc", "nodes": 2, "image": "a:1", "script": {"module": "train"}, "output": {"pvc": "shared"}}
TRAIN = {"task": "text-classification", "model": "bert", "dataset": {"path": "glue"}}
LAUNCHER, TRAINER = "generator/rallypoint/launcher", "trainer_image/rallypoint_trainer"


class Knob(NamedTuple):
    """One field: a spec without and one with it, as changes of the smallest."""

    without: dict[str, Any]
    value: dict[str, Any]
    actor: str = ""
    """Who acts on it, where no object but a ConfigMap shows it: a folder, and the word to find there."""
    word: str = ""


def one(key: str, value: Any, **base: Any) -> Knob:
    """A field at the top or, dotted, in one map; `base` is in both specs."""
    top, _, inner = key.partition(".")
    if not inner:
        return Knob(base, {**base, key: value})
    return Knob(base, {**base, top: {**base.get(top, {}), inner: value}})


def contract(folder: str, word: str, knob: Knob) -> Knob:
    """A field that only the contract shows."""
    return knob._replace(actor=folder, word=word)


def script(word: str, **changes: Any) -> Knob:
    return contract(LAUNCHER, word, Knob({}, {"script": changes}))


def train(key: str, value: Any, word: str = "") -> Knob:
    """A field of `train`, `train.model` or `train.dataset`."""
    base = {"script": None, "train": {**TRAIN, "model": {"pretrained_model_name_or_path": "bert"}}}
    part, _, inner = key.partition(".")
    new = {**base["train"][part], inner: value} if inner else value
    return contract(
        TRAINER, word or inner or part, Knob(base, {**base, "train": {**base["train"], part: new}})
    )


def source(place: str, name: str) -> Knob:
    """A volume source in output, cache or a volume."""
    value = {name: {"claimName": "c"} if name == "persistentVolumeClaim" else {"x": "y"}}
    return Knob({}, {place: [{"mount": "/v", **value}] if place == "volumes" else value})


PVC = {"pvc": "made", "size": "1Gi"}
VOLUME = {"mount": "/v", "pvc": "c"}
QUEUED = {"scheduling": {"queue": "q"}}

KNOBS: dict[str, Knob] = {
    "name": one("name", "other"),
    "kind": Knob({"kind": "job"}, {"kind": "statefulset"}),
    "namespace": one("namespace", "research"),
    "labels": one("labels", {"a": "b"}),
    "annotations": one("annotations", {"a": "b"}),
    "image": one("image", "b:2"),
    "image_pull_policy": one("image_pull_policy", "Always"),
    "image_pull_secrets": one("image_pull_secrets", ["r"]),
    "service_account": one("service_account", "sa"),
    "nodes": one("nodes", 3),
    "nproc_per_node": one("nproc_per_node", 2, resources={"cpu": "8"}),
    "resources.gpus": one("resources.gpus", 4),
    "resources.gpu_resource": one("resources.gpu_resource", "amd.com/gpu", resources={"gpus": 1}),
    "resources.cpu": one("resources.cpu", "4"),
    "resources.memory": one("resources.memory", "4Gi"),
    "resources.shm": one("resources.shm", "1Gi"),
    "resources.ephemeral_storage": one("resources.ephemeral_storage", "9Gi"),
    "resources.extra": one("resources.extra", {"a.b/c": "1"}),
    "train.task": contract(TRAINER, "task", Knob({}, {"script": None, "train": TRAIN})),
    "train.model": train("model", "other"),
    "train.dataset": train("dataset", {"path": "other"}),
    "train.metrics": train("metrics", ["f1"]),
    "train.training_args": train("training_args", {"seed": 1}),
    "train.model.pretrained_model_name_or_path": train("model.pretrained_model_name_or_path", "other"),
    "train.model.revision": train("model.revision", "v2"),
    "train.model.dtype": train("model.dtype", "bfloat16"),
    "train.model.attn_implementation": train("model.attn_implementation", "sdpa"),
    "train.model.trust_remote_code": train("model.trust_remote_code", True),
    "train.dataset.path": train("dataset.path", "other"),
    "train.dataset.name": train("dataset.name", "mrpc"),
    "train.dataset.data_dir": train("dataset.data_dir", "d"),
    "train.dataset.data_files": train("dataset.data_files", {"train": "a.jsonl"}),
    "train.dataset.revision": train("dataset.revision", "v2"),
    "train.dataset.train_split_name": train("dataset.train_split_name", "t"),
    "train.dataset.validation_split_name": train("dataset.validation_split_name", "v"),
    "train.dataset.text_column_names": train("dataset.text_column_names", ["a"]),
    "train.dataset.label_column_name": train("dataset.label_column_name", "l"),
    "train.dataset.max_train_samples": train("dataset.max_train_samples", 1),
    "train.dataset.max_eval_samples": train("dataset.max_eval_samples", 1),
    "train.dataset.max_seq_length": train("dataset.max_seq_length", 9),
    "script.file": script("file", file="/opt/train.py"),
    "script.module": script("module", module="other"),
    "script.inline": script("inline", inline="print(1)"),
    "script.files": Knob({}, {"script": {"module": "train", "files": ["model.py"]}}),
    "script.args": script("args", module="train", args=["--x"]),
    "output": one("output", {"pvc": "other"}),
    "cache": one("cache", {"pvc": "hub"}),
    "volumes": one("volumes", [VOLUME]),
    "volumes[].mount": Knob({"volumes": [VOLUME]}, {"volumes": [{**VOLUME, "mount": "/w"}]}),
    "volumes[].read_only": Knob({"volumes": [VOLUME]}, {"volumes": [{**VOLUME, "read_only": True}]}),
    "volumes[].sub_path": Knob({"volumes": [VOLUME]}, {"volumes": [{**VOLUME, "sub_path": "a"}]}),
    "env": one("env", {"A": "b"}),
    "env.*.secret": Knob({}, {"env": {"A": {"secret": "s", "key": "k"}}}),
    "env.*.config_map": Knob({}, {"env": {"A": {"config_map": "s", "key": "k"}}}),
    "env.*.key": Knob(
        {"env": {"A": {"secret": "s", "key": "k"}}}, {"env": {"A": {"secret": "s", "key": "other"}}}
    ),
    "env.*.field": Knob({}, {"env": {"A": {"field": "status.podIP"}}}),
    "env_from": one("env_from", [{"secret": "s"}]),
    "env_from[].secret": Knob({}, {"env_from": [{"secret": "s"}]}),
    "env_from[].config_map": Knob({}, {"env_from": [{"config_map": "s"}]}),
    "env_from[].prefix": Knob(
        {"env_from": [{"secret": "s"}]}, {"env_from": [{"secret": "s", "prefix": "P_"}]}
    ),
    "rendezvous.agent": contract(LAUNCHER, "agent", one("rendezvous.agent", "torchrun")),
    "rendezvous.port": one("rendezvous.port", 29500),
    "rendezvous.timeout": contract(LAUNCHER, "rendezvous_timeout_seconds", one("rendezvous.timeout", "1m")),
    "max_restarts": contract(LAUNCHER, "max_restarts", one("max_restarts", 9)),
    "grace_period": one("grace_period", "5m"),
    "deadline": one("deadline", "1h"),
    "ttl": one("ttl", "1h"),
    "suspend": one("suspend", True),
    "scheduling.queue": one("scheduling.queue", "q"),
    "scheduling.queue_priority": one("scheduling.queue_priority", "high", **QUEUED),
    "scheduling.priority_class": one("scheduling.priority_class", "p"),
    "scheduling.scheduler_name": one("scheduling.scheduler_name", "s"),
    "scheduling.node_selector": one("scheduling.node_selector", {"a": "b"}),
    "scheduling.tolerations": one("scheduling.tolerations", [{"operator": "Exists"}]),
    "scheduling.affinity": one("scheduling.affinity", {"podAntiAffinity": {}}),
    "scheduling.spread": one("scheduling.spread", "zone"),
    "network.host_network": one("network.host_network", True),
    "network.interface": one("network.interface", "eth0"),
    "network.rdma": one("network.rdma", {"resource": "rdma/hca"}),
    "network.rdma.resource": one(
        "network.rdma", {"resource": "a.b/c"}, network={"rdma": {"resource": "rdma/hca"}}
    ),
    "network.rdma.count": one(
        "network.rdma", {"resource": "rdma/hca", "count": 2}, network={"rdma": {"resource": "rdma/hca"}}
    ),
    "network.annotations": one("network.annotations", {"a": "b"}),
    "network.policy": one("network.policy", False),
    "security.user": one("security.user", 5),
    "security.fs_group": one("security.fs_group", 5),
    "security.read_only_root": one("security.read_only_root", False),
    "security.privileged": one("security.privileged", True),
    "security.capabilities": one("security.capabilities", ["SYS_PTRACE"]),
    "security.service_account_token": one("security.service_account_token", True),
    "debug": one("debug", True),
    "sidecars": one("sidecars", [{"name": "a", "image": "b"}]),
    "init_containers": one("init_containers", [{"name": "a", "image": "b"}]),
    "pod_patch": one("pod_patch", {"runtimeClassName": "nvidia"}),
    "container_patch": one("container_patch", {"imagePullPolicy": "Always"}),
}

for place in ("output", "cache"):
    KNOBS[f"{place}.pvc"] = one(place, {"pvc": "other"})
    KNOBS[f"{place}.size"] = Knob({place: {"pvc": "made"}}, {place: PVC})
    KNOBS[f"{place}.storage_class"] = Knob({place: PVC}, {place: {**PVC, "storage_class": "fast"}})
    for name in VOLUME_SOURCES:
        KNOBS[f"{place}.{name}"] = source(place, name)
    KNOBS[f"{place}.access_mode"] = Knob(
        {"nodes": 1, place: PVC}, {"nodes": 1, place: {**PVC, "access_mode": "ReadWriteMany"}}
    )
for name in VOLUME_SOURCES:
    KNOBS[f"volumes[].{name}"] = source("volumes", name)
made = {"mount": "/v", **PVC}
KNOBS |= {
    "volumes[].pvc": Knob({}, {"volumes": [VOLUME]}),
    "volumes[].size": Knob({"volumes": [{"mount": "/v", "pvc": "made"}]}, {"volumes": [made]}),
    "volumes[].storage_class": Knob({"volumes": [made]}, {"volumes": [{**made, "storage_class": "fast"}]}),
    "volumes[].access_mode": Knob(
        {"volumes": [made]}, {"volumes": [{**made, "access_mode": "ReadOnlyMany"}]}
    ),
}


def job(kind: str, changes: dict[str, Any]) -> Job:
    document = {**MIN, "kind": kind, **changes}
    return Job.model_validate({key: value for key, value in document.items() if value is not None})


def shipped(found: Job) -> dict[str, str]:
    if found.script is None:
        return {}
    inline = {"inline.py": found.script.inline} if found.script.inline else {}
    return {**dict.fromkeys(found.script.files, "x"), **inline}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads printed text with libyaml: hundreds of renderings here, and test_yaml.py compares the readers."""

    def read(text: str) -> list[Any]:
        return [item for item in yaml.load_all(text, yaml.CSafeLoader) if item is not None]

    monkeypatch.setattr(printing, "_parsed", read)


def objects(kind: str, changes: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """What is outside the ConfigMaps and their names, and the contract."""
    return _objects(kind, json.dumps(changes))


@cache
def _objects(kind: str, changes: str) -> tuple[list[Any], dict[str, Any]]:
    found = job(kind, json.loads(changes))
    first, files, *rest = render(found, shipped(found))
    rest = json.loads(json.dumps(rest).replace(files["metadata"]["name"], "files"))
    return rest, json.loads(first["data"]["contract.json"])


def leaves() -> set[str]:
    """Every field that holds no others."""
    keys = [key for key, _ in all_fields()]
    return {key for key in keys if not any(other.startswith((f"{key}.", f"{key}[")) for other in keys)}


def test_every_field_has_a_knob():
    assert leaves() - set(KNOBS) == set()


def test_every_knob_is_a_field():
    assert set(KNOBS) - {key for key, _ in all_fields()} == set()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", sorted(KNOBS))
def test_a_field_changes_something_or_is_refused(field, kind):
    knob = KNOBS[field]
    before, contract_before = objects(kind, knob.without)
    try:
        after, contract_after = objects(kind, knob.value)
    except SpecError as error:
        assert str(error).startswith(re.split(r"[.\[]", field)[0])
        return
    if knob.actor:
        assert contract_before != contract_after
    else:
        assert before != after


@pytest.mark.parametrize("field", sorted(field for field, knob in KNOBS.items() if knob.actor))
def test_who_acts_on_a_field_of_the_contract_reads_it(field):
    knob = KNOBS[field]
    assert any(
        f'"{knob.word}"' in path.read_text() or f".{knob.word}" in path.read_text()
        for path in (ROOT / knob.actor).rglob("*.py")
    )
