"""Every rule between fields: a job in which it fires, and one like it in which it does not."""

# ruff: noqa: E501 - a case is one line, so that broken and sound stand side by side

import pytest

from rallypoint.spec import Job, rules
from spec.conftest import SCRIPT_JOB, TRAIN_JOB

IMAGE = {"image": "x", "output": {"pvc": "o"}}
EMPTY = {"emptyDir": {}}
OWN_RWO = {"pvc": "c", "size": "1Gi", "access_mode": "ReadWriteOnce"}

CASES = [
    # rule, base, what breaks it, what does not, key of the message
    ("one_program", TRAIN_JOB, {"script": {"module": "x"}}, {}, "script"),
    ("one_program", {"name": "a"}, {}, {"script": {"module": "x"}}, ""),
    ("name_fits", SCRIPT_JOB, {"name": "a" * 59}, {"name": "a" * 58}, "name"),
    ("name_fits", SCRIPT_JOB, {"name": "a" * 53, "kind": "statefulset"}, {"name": "a" * 52, "kind": "statefulset"}, "name"),
    ("name_fits", SCRIPT_JOB, {"name": "a" * 54, "kind": "pytorchjob", "nodes": 11}, {"name": "a" * 54, "kind": "pytorchjob", "nodes": 10}, "name"),
    ("name_fits", SCRIPT_JOB, {"name": "a" * 47, "kind": "jobset", "nodes": 101}, {"name": "a" * 47, "kind": "jobset", "nodes": 100}, "name"),
    ("name_fits", SCRIPT_JOB, {"name": "a" * 49, "kind": "trainjob"}, {"name": "a" * 48, "kind": "trainjob"}, "name"),
    ("kind_has_it", SCRIPT_JOB, {"kind": "statefulset", "ttl": "1d"}, {"kind": "job", "ttl": "1d"}, "ttl"),
    ("kind_has_it", SCRIPT_JOB, {"kind": "trainjob", "ttl": "1d"}, {"kind": "jobset", "ttl": "1d"}, "ttl"),
    ("kind_has_it", SCRIPT_JOB, {"kind": "pytorchjob", "deadline": "1d"}, {"kind": "trainjob", "deadline": "1d"}, "deadline"),
    ("kind_has_it", SCRIPT_JOB, {"kind": "statefulset", "deadline": "1d"}, {"kind": "jobset", "deadline": "1d"}, "deadline"),
    ("kind_has_it", SCRIPT_JOB, {"kind": "statefulset", "suspend": True}, {"kind": "statefulset", "suspend": False}, "suspend"),
    ("processes_have_devices", SCRIPT_JOB, {"nproc_per_node": 3, "resources": {"gpus": 2}}, {"nproc_per_node": 3}, "nproc_per_node"),
    ("memory_has_its_unit", SCRIPT_JOB, {"resources": {"memory": 900}}, {"resources": {"memory": "1Mi"}}, "resources.memory"),
    ("shm_fits", SCRIPT_JOB, {"resources": {"shm": "2Gi", "memory": "1Gi"}}, {"resources": {"shm": "1Gi", "memory": "1Gi"}}, "resources.shm"),
    ("devices_are_given_once", SCRIPT_JOB, {"resources": {"extra": {"nvidia.com/gpu": 1}}}, {"resources": {"extra": {"a.b/c": 1}}}, "resources.extra.nvidia.com/gpu"),
    ("devices_are_whole", SCRIPT_JOB, {"resources": {"extra": {"a.b/c": 1.5}}}, {"resources": {"extra": {"a.b/c": "2000m", "hugepages-2Mi": "1.5"}}}, "resources.extra.a.b/c"),
    (
        "shipped_files_differ",
        SCRIPT_JOB,
        {"script": {"module": "x", "files": {"./a.py": "1", "a.py": "2"}}},
        {"script": {"module": "x", "files": {"./a.py": "1", "b/a.py": "2"}}},
        "script.files.a.py",
    ),
    (
        "shipped_files_differ",
        SCRIPT_JOB,
        {"script": {"module": "x", "files": {"a.py": "1", "a.py/b/c.py": "2"}}},
        {"script": {"module": "x", "files": {"a/b.py": "1", "a/c.py": "2"}}},
        "script.files.a.py/b/c.py",
    ),
    ("ttl_fits", SCRIPT_JOB, {"ttl": "24856d"}, {"ttl": "24855d"}, "ttl"),
    ("grace_is_enough", SCRIPT_JOB, {"grace_period": "29s"}, {"grace_period": "30s"}, "grace_period"),
    ("training_args_are_sound", TRAIN_JOB, {"train": {**TRAIN_JOB["train"], "training_args": {"x": 1}}}, {}, "train.training_args.x"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/etc/rallypoint/x", **EMPTY}]}, {"volumes": [{"mount": "/etc/x", **EMPTY}]}, "volumes.0.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/x/", **EMPTY}, {"mount": "/x", **EMPTY}]}, {"volumes": [{"mount": "/x", **EMPTY}, {"mount": "/x/y", **EMPTY}]}, "volumes.1.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/output", **EMPTY}], "output": EMPTY}, {"volumes": [{"mount": "/scratch", **EMPTY}], "output": EMPTY}, "volumes.0.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/cache", **EMPTY}], "cache": EMPTY}, {"volumes": [{"mount": "/cache", **EMPTY}]}, "volumes.0.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/workspace/t.py", **EMPTY}], "script": {"file": "./t.py"}}, {"volumes": [{"mount": "/workspace/data", **EMPTY}], "script": {"file": "t.py"}}, "volumes.0.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/proc", **EMPTY}]}, {"volumes": [{"mount": "/dev/shm", **EMPTY}]}, "volumes.0.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/sys/fs/x", **EMPTY}]}, {"volumes": [{"mount": "/system", **EMPTY}]}, "volumes.0.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/dev/", **EMPTY}]}, {"volumes": [{"mount": "/dev/infiniband", **EMPTY}]}, "volumes.0.mount"),
    ("mounts_are_free", SCRIPT_JOB, {"volumes": [{"mount": "/a/../b", **EMPTY}]}, {"volumes": [{"mount": "/b", **EMPTY}]}, "volumes.0.mount"),
    ("claims_agree", SCRIPT_JOB, {"output": OWN_RWO, "cache": {"pvc": "c", "size": "2Gi"}}, {"output": OWN_RWO, "cache": {"pvc": "c"}}, "cache.pvc"),
    ("cache_is_writable", SCRIPT_JOB, {"cache": {"configMap": {"name": "c"}}}, {"cache": EMPTY}, "cache"),
    ("variables_are_free", SCRIPT_JOB, {"env": {"MASTER_ADDR": "x"}}, {"env": {"MASTER": "x"}}, "env.MASTER_ADDR"),
    ("variables_are_free", SCRIPT_JOB, {"env": {"PET_NNODES": "x"}}, {"env": {"PETS": "x"}}, "env.PET_NNODES"),
    ("labels_are_free", SCRIPT_JOB, {"labels": {"rallypoint.dev/job": "x"}}, {"labels": {"acme.dev/job": "x"}}, "labels.rallypoint.dev/job"),
    ("labels_are_free", SCRIPT_JOB, {"labels": {"kueue.x-k8s.io/queue-name": "x"}, "scheduling": {"queue": "y"}}, {"labels": {"kueue.x-k8s.io/queue-name": "x"}}, "labels.kueue.x-k8s.io/queue-name"),
    ("patches_spare_what_is_ours", SCRIPT_JOB, {"pod_patch": {"hostname": "x"}}, {"pod_patch": {"dnsPolicy": None}}, "pod_patch.hostname"),
    ("patches_spare_what_is_ours", SCRIPT_JOB, {"container_patch": {"args": []}}, {"container_patch": {"lifecycle": {}}}, "container_patch.args"),
    ("containers_are_whole", SCRIPT_JOB, {"sidecars": [{"name": "pytorch", "image": "x"}]}, {"sidecars": [{"name": "logs", "image": "x"}]}, "sidecars.0.name"),
    ("containers_are_whole", SCRIPT_JOB, {"sidecars": [{"name": "a"}]}, {"sidecars": [{"name": "a", "image": "x"}]}, "sidecars.0.image"),
    ("containers_are_whole", SCRIPT_JOB, {"sidecars": [{"image": "x"}]}, {"init_containers": [{"name": "a", "image": "x"}]}, "sidecars.0.name"),
    ("containers_are_whole", SCRIPT_JOB, {"sidecars": [{"name": "a", "image": "x"}], "init_containers": [{"name": "a", "image": "x"}]}, {"sidecars": [{"name": "a", "image": "x"}], "init_containers": [{"name": "b", "image": "x"}]}, "init_containers.0.name"),
    ("no_plain_credentials", SCRIPT_JOB, {"env": {"X": "hf_" + "a" * 34}}, {"env": {"X": "hf_transfer"}}, "env.X"),
    ("no_plain_credentials", SCRIPT_JOB, {"env": {"WANDB_API_KEY": "a1" * 20}}, {"env": {"WANDB_API_KEY": {"secret": "w", "key": "k"}}}, "env.WANDB_API_KEY"),
    ("no_plain_credentials", SCRIPT_JOB, {"script": {"module": "x", "args": ["--token=ghp_" + "a" * 36]}}, {"script": {"module": "x", "args": ["--token-file=/t"]}}, "script.args.0"),
    ("no_plain_credentials", SCRIPT_JOB, {"script": {"inline": "login('AKIA" + "A" * 16 + "')"}}, {"script": {"inline": "a = 'AKIA'"}}, "script.inline"),
    ("no_plain_credentials", SCRIPT_JOB, {"annotations": {"a": "sk-" + "a" * 30}}, {"annotations": {"a": "sk-learn"}}, "annotations.a"),
    ("no_plain_credentials", SCRIPT_JOB, {"env": {"URL": "https://me:secret@host/x"}}, {"env": {"URL": "https://host:80/x@y"}}, "env.URL"),
    ("image_is_there", SCRIPT_JOB, {"output": {"pvc": "o"}}, IMAGE, "image"),
    ("output_is_there", TRAIN_JOB, {"image": "x"}, IMAGE, "output"),
    ("output_is_there", SCRIPT_JOB, {"kind": "statefulset"}, {"kind": "job"}, "output"),
    ("output_is_shared", SCRIPT_JOB, {"output": EMPTY, "nodes": 2}, {"output": EMPTY, "nodes": 1}, "output"),
    ("output_is_shared", SCRIPT_JOB, {"output": EMPTY, "kind": "statefulset"}, {"output": {"pvc": "x"}, "kind": "statefulset"}, "output"),
    ("output_is_shared", SCRIPT_JOB, {"output": {"secret": {}}}, {"output": {"nfs": {"server": "x"}}, "nodes": 2}, "output"),
    ("output_is_shared", SCRIPT_JOB, {"output": {"pvc": "x", "size": 1, "access_mode": "ReadOnlyMany"}}, {"output": {"pvc": "x", "size": 1}}, "output"),
    ("claims_reach_all_nodes", SCRIPT_JOB, {"output": OWN_RWO, "nodes": 2}, {"output": OWN_RWO, "nodes": 1}, "output.access_mode"),
    ("claims_reach_all_nodes", SCRIPT_JOB, {"volumes": [{"mount": "/x", **OWN_RWO}], "nodes": 2}, {"volumes": [{"mount": "/x", "pvc": "c"}], "nodes": 2}, "volumes.0.access_mode"),
]  # fmt: skip
RULES = {rule.__name__: rule for rule in (*rules.ALWAYS, *rules.FOR_CLUSTER)}


def keys(rule, base, more):
    job = Job.model_validate({**base, **more})
    return [".".join(map(str, violation.key)) for violation in RULES[rule](job)]


@pytest.mark.parametrize(("rule", "base", "broken", "sound", "key"), CASES)
def test_a_rule_fires_on_what_breaks_it(rule, base, broken, sound, key):
    assert keys(rule, base, broken) == [key]


@pytest.mark.parametrize(("rule", "base", "broken", "sound", "key"), CASES)
def test_a_rule_keeps_silent_on_what_is_sound(rule, base, broken, sound, key):
    assert keys(rule, base, sound) == []


def test_every_rule_has_a_case():
    assert {case[0] for case in CASES} == set(RULES)


def messages(base, more):
    job = Job.model_validate({**base, **more})
    return [item.text for item in (*rules.always(job), *rules.for_cluster(job))]


@pytest.mark.parametrize(("rule", "base", "broken", "sound", "key"), CASES)
def test_a_message_is_one_sentence_with_a_way_out(rule, base, broken, sound, key):
    for text in messages(base, broken):
        assert text[0].islower() or text.startswith("Read")
        assert not text.endswith(".")
        assert ";" in text or "must be" in text


def test_a_credential_is_not_repeated_in_full():
    (text,) = [
        text
        for text in messages(SCRIPT_JOB, {**IMAGE, "env": {"X": "hf_" + "abcdef" * 6}})
        if "token" in text
    ]
    assert "hf_a..." in text
    assert "abcdef" not in text


def test_a_lacking_field_names_the_kinds_that_have_it():
    (text,) = messages(SCRIPT_JOB, {**IMAGE, "kind": "trainjob", "ttl": "1d"})
    assert text.endswith("kinds that do: Job, PyTorchJob, JobSet")


def test_a_long_name_shows_the_derived_one_and_the_limit():
    (text,) = messages(SCRIPT_JOB, {**IMAGE, "name": "a" * 60, "kind": "jobset", "nodes": 128})
    assert text == (
        f"has 60 letters, but a JobSet with 128 nodes bears 46, because {'a' * 60}-node-0-127-<5 letters> "
        "must fit 63; shorten it"
    )


@pytest.mark.parametrize(("kind", "letters"), [("job", 58), ("statefulset", 52), ("pytorchjob", 53)])
def test_a_further_digit_costs_a_letter_only_where_the_longest_name_has_the_index(kind, letters):
    fields = {**IMAGE, "kind": kind, "nodes": 12, "output": {"pvc": "o"}}
    assert messages(SCRIPT_JOB, {**fields, "name": "a" * letters}) == []
    assert f"bears {letters}," in messages(SCRIPT_JOB, {**fields, "name": "a" * (letters + 1)})[0]
