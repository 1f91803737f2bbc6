"""What the command line refuses, the chart refuses with the same sentence."""

import pytest

from chart.random_values import READ_ONLY, SOURCES
from chart.twin import helm_on, problems, refused
from rallypoint.render import to_yaml
from spec.conftest import SCRIPT_JOB, TRAIN_JOB
from spec.test_rules import CASES

BY_SCHEMA = {"training_args_are_sound"}
"""Rules about one key alone, which helm's schema holds; its words are helm's."""


def both(spec, tmp_path):
    """What the command line and the chart say."""
    path = tmp_path / "job.yaml"
    path.write_text(to_yaml([spec]))
    ours = refused(path)
    result = helm_on(path.read_text())
    return sorted(ours), sorted(problems(result) if result.returncode else [])


def complete(base, change, *, image=True, output=True):
    """The case with what every job needs on a cluster, and with the text of the file that it ships."""
    given = {
        **({"image": "x"} if image else {}),
        **({"output": {"pvc": "o"}} if output else {}),
        **base,
        **change,
    }
    script = given.get("script")
    if isinstance(script, dict) and "file" in script:
        given["script"] = {**script, "files": {script["file"]: "print(1)\n"}}
    return given


FROM_PYTHON = [case[:4] for case in CASES if case[0] not in BY_SCHEMA]


@pytest.mark.parametrize(
    ("rule", "base", "change"),
    [(rule, base, change) for rule, base, breaks, sound in FROM_PYTHON for change in (breaks, sound)],
)
def test_a_rule_says_the_same_of_the_broken_and_the_sound_job(rule, base, change, tmp_path):
    given = complete(base, change, image=rule != "image_is_there", output=rule != "output_is_there")
    ours, helms = both(given, tmp_path)
    assert helms == ours


def test_the_cases_have_both_refused_and_taken_jobs(tmp_path):
    _, base, breaks, sound = next(case for case in FROM_PYTHON if case[0] == "shm_fits")
    assert both(complete(base, breaks), tmp_path)[0]
    assert both(complete(base, sound), tmp_path) == ([], [])


def train_job(**arguments):
    dataset = {"path": "nyu-mll/glue", "name": "mrpc"}
    train = {"task": "text-classification", "model": "a/b", "dataset": dataset, "training_args": arguments}
    return {**TRAIN_JOB, "image": "x", "output": {"pvc": "o"}, "train": train}


MORE = {
    "unequal strategies": train_job(
        load_best_model_at_end=True, eval_strategy="epoch", save_strategy="steps"
    ),
    "default strategies": train_job(load_best_model_at_end=True),
    "an old name counts": train_job(load_best_model_at_end=True, evaluation_strategy="epoch"),
    "saves between evaluations": train_job(
        load_best_model_at_end=True,
        eval_strategy="steps",
        save_strategy="steps",
        eval_steps=20,
        save_steps=50,
    ),
    "saves by ratio": train_job(
        load_best_model_at_end=True,
        eval_strategy="steps",
        save_strategy="steps",
        eval_steps=0.2,
        save_steps=0.5,
    ),
    "both halves": train_job(fp16=True, bf16=True, fp16_full_eval=True, bf16_full_eval=True),
    "scheduler without evaluation": train_job(lr_scheduler_type="reduce_lr_on_plateau"),
    "prefetch without workers": train_job(dataloader_prefetch_factor=2, dataloader_persistent_workers=True),
    "best without evaluation": train_job(save_strategy="best"),
    "owned": train_job(output_dir="x", use_cpu=True, resume_from_checkpoint=None),
    "gone": train_job(logging_dir="x", n_gpu=4),
    "old and new": train_job(
        evaluation_strategy="no", eval_strategy="epoch", warmup_ratio=0.5, warmup_steps=3
    ),
    "no safetensors": train_job(save_safetensors=False),
    "two sources": {**SCRIPT_JOB, "image": "x", "output": {"pvc": "a", "nfs": {"server": "s", "path": "/"}}},
    "no source": {**SCRIPT_JOB, "image": "x", "cache": {}},
    "class without size": {**SCRIPT_JOB, "image": "x", "cache": {"pvc": "a", "storage_class": "s"}},
    "size without claim": {**SCRIPT_JOB, "image": "x", "cache": {"emptyDir": {}, "size": "1Gi"}},
    "two programs": {**SCRIPT_JOB, "image": "x", "script": {"inline": "x", "module": "y"}},
    "no program": {**SCRIPT_JOB, "image": "x", "script": {"args": ["x"]}},
    "no module": {**SCRIPT_JOB, "image": "x", "script": {"module": "train.py --x"}},
    "file above": {**SCRIPT_JOB, "image": "x", "script": {"module": "x", "files": {"../a": "b", "c/": "d"}}},
    "colon in a file": {**SCRIPT_JOB, "image": "x", "script": {"module": "x", "files": {"a:b": "b"}}},
    "memory in bytes": {**SCRIPT_JOB, "image": "x", "resources": {"memory": ".5", "shm": False}},
    "empty env_from": {**SCRIPT_JOB, "image": "x", "env_from": [{"prefix": "A"}]},
    "full env_from": {**SCRIPT_JOB, "image": "x", "env_from": [{"secret": "a", "config_map": "b"}]},
    "label value": {**SCRIPT_JOB, "image": "x", "labels": {"a.b/c": "not a value"}},
    "negative label": {**SCRIPT_JOB, "image": "x", "labels": {"a": -5}},
    "node selector": {**SCRIPT_JOB, "image": "x", "scheduling": {"node_selector": {"a": "it's"}}},
    "split devices": {
        **SCRIPT_JOB,
        "image": "x",
        "resources": {"extra": {"a/b": 1.5, "nvidia.com/gpu": ".5"}},
    },
    "no output and no end": {
        **SCRIPT_JOB,
        "image": None,
        "kind": "statefulset",
        "deadline": "1h",
        "ttl": "1h",
        "suspend": True,
        "resources": {"extra": {"a/b": "500m"}},
    },
    "empty queue": {**SCRIPT_JOB, "image": "x", "scheduling": {"queue": "", "queue_priority": "a" * 64}},
    "interface": {**SCRIPT_JOB, "image": "x", "network": {"interface": "eth0,eth1"}},
    "capability": {**SCRIPT_JOB, "image": "x", "security": {"capabilities": ["sys_ptrace"]}},
    "sub path": {**SCRIPT_JOB, "image": "x", "volumes": [{"mount": "/a", "pvc": "a", "sub_path": "../b"}]},
    "no quantity": {**SCRIPT_JOB, "image": "x", "resources": {"cpu": 0, "memory": -1, "extra": {"a/b": 0}}},
    "null in a sidecar": {**SCRIPT_JOB, "image": "x", "sidecars": [{"name": "a", "image": "b", "tty": None}]},
    "null in a source": {**SCRIPT_JOB, "image": "x", "cache": {"nfs": {"server": "s", "path": None}}},
    "control character": {**SCRIPT_JOB, "image": "x", "env": {"A": "a\x07", "B": "\x85", "C": "\uffff"}},
    "control character in a key": {
        **SCRIPT_JOB,
        "image": "x",
        "pod_patch": {"x": {"a.b": {"c\x85": 1, "d\uffff": {"e": 1, "f\x07": 2}}}, "\x7f": [1]},
    },
    "quantity without end": {
        **SCRIPT_JOB,
        "image": "x",
        "resources": {"cpu": "1e99", "memory": "8Ei", "extra": {"a/b": "99999999999999999999999999Ei"}},
    },
    "no sub path": {**SCRIPT_JOB, "image": "x", "volumes": [{"mount": "/a", "pvc": "a", "sub_path": ""}]},
    "long sub path": {
        **SCRIPT_JOB,
        "image": "x",
        "volumes": [{"mount": "/a", "pvc": "a", "sub_path": "b" * 254}],
    },
    "mount at the root": {**SCRIPT_JOB, "image": "x", "volumes": [{"mount": "/", "pvc": "a"}]},
    "file in the place of inline": {
        **SCRIPT_JOB,
        "image": "x",
        "script": {"inline": "print(1)", "files": {"./inline.py": "x"}},
    },
    "token in a script": {**SCRIPT_JOB, "image": "x", "script": {"inline": "x\nhf_" + "a" * 34 + "\n"}},
    "number as password": {**SCRIPT_JOB, "image": "x", "env": {"DB_PASSWORD": 12345}},
    "too large": {**SCRIPT_JOB, "image": "x", "script": {"inline": "#" * 250_000}},
}


for field in ("output", "cache"):
    for source in READ_ONLY:
        MORE[f"{field} in a {source}"] = {**SCRIPT_JOB, "image": "x", field: {source: SOURCES[source]}}


@pytest.mark.parametrize("name", MORE)
def test_what_is_wrong_reads_the_same(name, tmp_path):
    ours, helms = both(MORE[name], tmp_path)
    assert ours
    assert helms == ours


SCHEMA = {
    "unknown key": {"nodse": 3},
    "unknown key inside": {"resources": {"gpu": 1}},
    "type": {"nodes": "three"},
    "range": {"nodes": 0},
    "choice": {"kind": "deployment"},
    "null": {"labels": None},
    "variable's name": {"env": {"A-B": "x"}},
    "label's name": {"labels": {"-a": "x"}},
    "duration": {"ttl": "1 day"},
    "name": {"name": "Upper"},
    "argument": train_job(learnig_rate=1),
    "argument's type": train_job(learning_rate="2e-5"),
    "argument's range": train_job(learning_rate=0),
    "argument's choice": train_job(eval_strategy="epochs"),
    "old argument's choice": train_job(evaluation_strategy="epochs"),
    "steps with a fraction": train_job(eval_steps=1.5),
    "a long path": {"volumes": [{"mount": "/" + "a" * 5000, "pvc": "a"}]},
    "steps below none": train_job(max_steps=0),
}


@pytest.mark.parametrize("name", SCHEMA)
def test_what_one_key_may_not_be_is_refused_by_the_schema(name, tmp_path):
    ours, helms = both({**SCRIPT_JOB, "image": "x", **SCHEMA[name]}, tmp_path)
    assert ours
    assert helms == ["schema"]
