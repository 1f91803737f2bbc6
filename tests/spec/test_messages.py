"""Wrong inputs, each answered with place, value and way out."""

# ruff: noqa: E501 - a case is one line

import pytest

from rallypoint.errors import SpecError
from rallypoint.loading import load

BASE = "name: a\nscript: {module: x}\n"
ELASTIC = (
    "job.yaml:3: nodes: elastic node counts are not supported (got a map of min), because a changing world "
    "changes the Trainer's batch; write one number"
)
LARGE = (
    "job.yaml: larger than 1 MiB, which no job file is (what it ships must fit a ConfigMap of 240 KiB); "
    "give a job file; a large program belongs into the image, named with script.file or script.module"
)

WRONG = {
    "unknown key": ("resources: {gpu: 8}", "job.yaml:3: resources.gpu: unknown key; did you mean 'gpus'?"),
    "unknown key in camelCase": (
        "maxRestarts: 3",
        "job.yaml:3: maxRestarts: unknown key; did you mean 'max_restarts'?",
    ),
    "unknown key at depth 4": (
        "volumes:\n- mount: /x\n  pvc: p\nenv:\n  A: {secret: x, kee: k, key: z}",
        "job.yaml:7: env.A.kee: unknown key; did you mean 'key'?",
    ),
    "key of another place": ("gpus: 8", "job.yaml:3: gpus: unknown key here; did you mean 'resources.gpus'?"),
    "key of another tool": ("replicas: 8", "job.yaml:3: replicas: unknown key here; did you mean 'nodes'?"),
    "argument in the wrong place": (
        "learning_rate: 1",
        "job.yaml:3: learning_rate: unknown key here; did you mean 'train.training_args.learning_rate'?",
    ),
    "too few nodes": ("nodes: 0", "job.yaml:3: nodes: must be 1 or more (got 0)"),
    "nodes in words": (
        "nodes: two",
        "job.yaml:3: nodes: must be a whole number (got 'two'); write digits without quotes",
    ),
    "elastic nodes": ("nodes: {min: 1}", ELASTIC),
    "auto processes": (
        "nproc_per_node: auto",
        "job.yaml:3: nproc_per_node: must be a whole number (got 'auto'); leave it out for one process per GPU",
    ),
    "empty GPUs": (
        "resources: {gpus: ''}",
        "job.yaml:3: resources.gpus: must be a whole number (got ''); write digits without quotes",
    ),
    "null": ("nodes:", "job.yaml:3: nodes: has no value (null); give a whole number or remove the key"),
    "number for text": ("namespace: 5", "job.yaml:3: namespace: must be text (got 5); quote it: '5'"),
    "text for boolean": (
        "debug: 'true'",
        "job.yaml:3: debug: must be true or false (got 'true'); write one of them, without quotes",
    ),
    "text for list": (
        "env_from: x",
        "job.yaml:3: env_from: must be a list (got 'x'); put it into brackets: [...]",
    ),
    "text for map": ("env: x", "job.yaml:3: env: must be a map (got 'x'); write 'key: value' lines below it"),
    "text for fields": (
        "network: x",
        "job.yaml:3: network: must be a map of fields (got 'x'); write 'field: value' lines below it",
    ),
    "wrong choice": (
        "image_pull_policy: allways",
        "job.yaml:3: image_pull_policy: must be one of Always, IfNotPresent, Never (got 'allways'); "
        "did you mean 'Always'?",
    ),
    "missing field": (
        "env: {A: {secret: hf}}",
        "job.yaml:3: env.A.key: is missing (key in it); add it",
    ),
    "null in a Kubernetes map": (
        "scheduling:\n  tolerations:\n  - key: a\n    value:",
        "job.yaml:6: scheduling.tolerations[0].value: has no value (null); give one or remove the key",
    ),
    "bad quantity": (
        "resources: {memory: 4GB}",
        "job.yaml:3: resources.memory: must be a Kubernetes quantity above 0 and below 8Ei, such as 4, 500m or 16Gi (got '4GB')",
    ),
    "bad duration": (
        "ttl: 90",
        "job.yaml:3: ttl: must be a whole number and a unit: 90s, 15m, 24h or 7d (got '90')",
    ),
    "shm on": (
        "resources: {shm: true}",
        "job.yaml:3: resources.shm: must be a size or false (got true); remove the key for the usual size",
    ),
    "two claims in one": (
        "output: {pvc: a, nfs: {server: x}}",
        "job.yaml:3: output: needs exactly one of pvc and a volume source such as hostPath or nfs (got pvc and nfs)",
    ),
    "tab": ("resources:\n\tgpus: 1", "job.yaml:4: a tab indents this line; use spaces"),
    "two documents": ("---\nname: b", "job.yaml:3: a second document starts here; keep one job per file"),
    "repeated key": ("name: b", "job.yaml:3: name: the key is given twice (first in line 1); keep one"),
    "repeated key below": (
        "env:\n  A: 1\n  A: 2",
        "job.yaml:5: env.A: the key is given twice (first in line 4); keep one",
    ),
    "python tag": (
        "image: !!python/object:os.system x",
        "job.yaml:3: a tag is not supported (!!python/object:os.system); write the plain value",
    ),
    "map as key": (
        "? {a: b}\n: c",
        "job.yaml:3: a map or list stands where a key is expected; write a text key",
    ),
    "number as variable": (
        "env: {1: x}",
        "job.yaml:3: env.1: must be a variable's name: letters, digits and '_', not starting with a digit (got '1')",
    ),
    "unknown alias": (
        "env: *none",
        "job.yaml:3: the alias *none has no complete anchor before it; define &none",
    ),
    "alias of itself": (
        "env: &e {A: *e}",
        "job.yaml:3: the alias *e has no complete anchor before it; define &e",
    ),
    "merge of text": (
        "env: {<<: x}",
        "job.yaml:3: <<: a merge key takes a map or a list of maps; give an alias of one",
    ),
    "deep nesting": ("env: " + "[" * 100, "job.yaml:3: nested deeper than 50 levels; flatten it"),
    "control character": (
        'env: {A: "\\a"}',
        "job.yaml:3: env.A: holds a control character (U+0007); remove it",
    ),
    "raw control character": ("env: {A: \x07}", "job.yaml:3: a control character (U+0007); remove it"),
    "half a surrogate pair": (
        'env: {A: "\\ud800"}',
        "job.yaml:3: env.A: holds a control character (U+D800); remove it",
    ),
    "open quote": (
        "image: 'x",
        "job.yaml:3: not valid YAML (found unexpected end of stream while scanning a quoted scalar); "
        "correct the line",
    ),
    "infinite number": (
        "max_restarts: .inf",
        "job.yaml:3: max_restarts: must be a whole number (got .inf); write one whole number",
    ),
}


@pytest.mark.parametrize(("more", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_input_is_answered_with_place_value_and_way_out(refused, more, message):
    assert refused(BASE + more + "\n") == [message]


WHOLE = {
    "empty": (b"", "job.yaml: empty: it holds no fields; write at least name, and train or script"),
    "comments": (b"# x\n", "job.yaml: empty: it holds no fields; write at least name, and train or script"),
    "list": (b"- a", "job.yaml:1: must be a map of fields (got a list); write lines such as 'name: mrpc'"),
    "text": (
        b"abc",
        "job.yaml:1: must be a map of fields (got a single value); write lines such as 'name: mrpc'",
    ),
    "not UTF-8": (b"name: a\nx: \xff", "job.yaml:2: not UTF-8 text (byte 0xff); save it as UTF-8"),
    "UTF-16": ("name: a".encode("utf-16"), "job.yaml: UTF-16 text; save it as UTF-8"),
    "binary": (b"\x7fELF\x00\x01", "job.yaml:1: binary, not text; name a text file"),
    "2 MB inline": (b"name: a\nscript:\n  inline: |\n" + b"    x = 1\n" * 200_000, LARGE),
}


@pytest.mark.parametrize(("content", "message"), WHOLE.values(), ids=WHOLE)
def test_a_file_that_is_no_job_is_answered_in_one_line(refused, content, message):
    assert refused(content) == [message]


def test_a_missing_file_is_named(job_file):
    job_file("", "other.yaml")
    with pytest.raises(SpecError, match=r"^job\.yaml: no such file; check the path$"):
        load(["job.yaml"])


def test_a_folder_is_no_job_file(tmp_path):
    with pytest.raises(SpecError, match="a folder, not a job file; name a file in it"):
        load([tmp_path])


def test_an_alias_bomb_is_bounded(refused):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "more than 100000 values, aliases followed" in refused("\n".join(lines))[0]


HOSTILE = {
    "underscores": "env: {A: 1" + "_" * 200_000 + "x}",
    "dots": "env: {A: " + "a." * 100_000 + "}",
    "digits": "env: {A: " + "9" * 200_000 + "}",
    "label": "labels: {" + "a-" * 400 + ": x}",
    "nested lists": "env:\n" + "- " * 20_000,
    "many keys": "env: {" + ", ".join(f"A{n}: x" for n in range(3_000)) + "}",
    "aliases in a chain": "a0: &a0 [x]\n" + "\n".join(f"a{n}: &a{n} [[[[*a{n - 1}]]]]" for n in range(1, 50)),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("more", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_answered_in_reasonable_time(job_file, more):
    try:
        load([job_file(BASE + more)])
    except SpecError as error:
        assert error.problems


def test_all_problems_come_at_once_in_file_order(refused):
    lines = refused(
        BASE + "nodes: 0\nenv: {A: no, RANK: 1}\nresources: {gpu: 1, memory: x}\nkind: statefulset\nttl: 1d\n"
    )
    assert [line.split(": ")[:2] for line in lines] == [
        ["job.yaml:3", "nodes"],
        ["job.yaml:4", "env.A"],
        ["job.yaml:4", "env.RANK"],
        ["job.yaml:5", "resources.gpu"],
        ["job.yaml:5", "resources.memory"],
        ["job.yaml:7", "ttl"],
    ]


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbfname: a\nscript: {module: x}", b"name: a\r\nscript: {module: x}\r\n"]
)
def test_a_byte_order_mark_and_windows_line_ends_are_accepted(loaded, content):
    assert loaded(content).job.name == "a"


def test_anchors_aliases_and_merge_keys_are_accepted(loaded):
    job = loaded(BASE + "env: &e {A: x, B: v}\nlabels: {<<: *e, B: z}\nannotations: *e\n").job
    assert (job.labels, job.annotations) == ({"A": "x", "B": "z"}, {"A": "x", "B": "v"})


def test_json_is_accepted_with_its_surrogate_pairs(loaded):
    job = loaded('{"name": "a", "script": {"module": "x"}, "env": {"A": "\\ud83d\\ude00"}}').job
    assert job.env == {"A": "\U0001f600"}


def test_a_wrong_item_does_not_hide_what_is_wrong_with_the_others(refused):
    volumes = "volumes:\n- {mount: /a}\n- {mount: /b, emptyDir: {}}\n- {mount: /b, emptyDir: {}}\n- {emptyDir: {}}\n"
    assert [line.split(": ")[:2] for line in refused(BASE + volumes)] == [
        ["job.yaml:4", "volumes[0]"],
        ["job.yaml:6", "volumes[2].mount"],
        ["job.yaml:7", "volumes[3].mount"],
    ]


def test_a_rule_is_not_judged_on_a_wrong_field(refused):
    assert refused("name: a\ntrain: {task: text-classification}\n") == [
        "job.yaml:2: train.model: is missing (a model's name on the hub or folder, or more about it); add it",
        "job.yaml:2: train.dataset: is missing (where the samples come from); add it",
    ]


@pytest.mark.parametrize("wrong", ["task: poetry", "model: 5", "dataset: x", "dataset: {nam: x}"])
def test_a_wrong_field_of_train_does_not_hide_its_wrong_arguments(refused, wrong):
    fields = {"task": "text-classification", "model": "m", "dataset": "{path: d}"}
    fields |= dict([wrong.split(": ", 1)])
    text = "".join(f"  {key}: {value}\n" for key, value in fields.items())
    lines = refused(f"name: a\ntrain:\n{text}  training_args: {{learning_rate: fast}}\n")
    assert [line.split(":")[1] for line in lines] == [
        "3" if "task" in wrong else "4" if "model" in wrong else "5",
        "6",
    ]
    assert "train.training_args.learning_rate: must be a number (got 'fast')" in lines[-1]
