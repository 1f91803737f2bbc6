"""Several files and --set as one job."""

# ruff: noqa: E501 - a case is one line

import io

import pytest

from rallypoint.errors import SpecError
from rallypoint.loading import load, values

TEAM = "namespace: ml\nnodes: 2\nlabels: {team: nlp, tier: a}\nimage_pull_secrets: [a, b]\ngrace_period: 5m\n"


@pytest.fixture
def two(job_file):
    return lambda text, *sets: load(
        [job_file(TEAM, "team.yaml"), job_file("name: a\nscript: {module: x}\n" + text)], sets
    )


def test_maps_merge_deep(two):
    assert two("labels: {tier: b}").job.labels == {"team": "nlp", "tier": "b"}


def test_lists_and_scalars_replace(two):
    job = two("image_pull_secrets: [c]\nnodes: 3").job
    assert (job.image_pull_secrets, job.nodes) == (["c"], 3)


def test_null_removes_a_key_of_an_earlier_file(two):
    assert two("nodes: null\ngrace_period:").job.model_dump(include={"nodes", "grace_period"}) == {
        "nodes": 1,
        "grace_period": "2m",
    }


def test_null_is_a_value_where_the_field_has_one(loaded):
    assert loaded("name: a\nscript: {module: x}\nsecurity: {user: null}").job.security.user is None


def test_a_problem_names_the_file_that_the_value_came_from(two):
    with pytest.raises(SpecError) as error:
        two("nodes: 0\nlabels: {tier: '-'}\n", "max_restarts=-1")
    assert [str(problem).split(": ")[0] for problem in error.value.problems] == [
        "job.yaml:3",
        "job.yaml:4",
        "--set",
    ]


def test_problems_of_an_earlier_file_come_first(job_file):
    with pytest.raises(SpecError) as error:
        load([job_file("nodes: x\n", "team.yaml"), job_file("name: A\nscript: {module: x}\n")])
    assert [problem.file for problem in error.value.problems] == ["team.yaml", "job.yaml"]


def test_stdin_is_a_file(job_file):
    job_file("")
    assert load(["-"], stdin=io.StringIO("name: a\nscript: {module: x}")).job.name == "a"


SETS = [
    (["nodes=3"], {"nodes": 3}),
    (["nodes=3,max_restarts=0"], {"nodes": 3, "max_restarts": 0}),
    (["debug=true"], {"debug": True}),
    (["env.A=1.10"], {"env": {"A": "1.10"}}),
    (["env.A=yes"], {"env": {"A": "yes"}}),
    (["env.A=010"], {"env": {"A": "010"}}),
    (["env.A="], {"env": {"A": ""}}),
    (["env.A=x=y"], {"env": {"A": "x=y"}}),
    (["env.A=x\\,y"], {"env": {"A": "x,y"}}),
    (["annotations.k8s\\.io/x=v"], {"annotations": {"k8s.io/x": "v"}}),
    (["script.args={a,2,true}"], {"script": {"module": "x", "args": ["a", "2", "true"]}}),
    (["script.args={}"], {"script": {"module": "x", "args": []}}),
    (["script.args[0]=a", "script.args[1]=b"], {"script": {"module": "x", "args": ["a", "b"]}}),
    (["volumes[0].mount=/x", "volumes[0].pvc=p"], {"volumes": [{"mount": "/x", "pvc": "p"}]}),
    (["namespace=ml", "namespace=null"], {}),
    (["image=5"], {"image": "5"}),
]


@pytest.mark.parametrize(("sets", "expected"), SETS, ids=lambda value: str(value)[:40])
def test_set_follows_helms_syntax(loaded, sets, expected):
    job = loaded("name: a\nscript: {module: x}\n", *sets).job
    assert job.model_dump(exclude_unset=True) == {"name": "a", "script": {"module": "x"}, **expected}


def test_set_makes_a_number_of_an_exponent(loaded):
    text = "name: a\ntrain: {task: text-classification, model: m, dataset: {path: d}}\n"
    job = loaded(text, "train.training_args.learning_rate=2e-5").job
    assert job.train.training_args == {"learning_rate": 2e-5}


WRONG_SETS = {
    "nodes": "--set: has no '=' (got 'nodes'); write key=value, as in nodes=3",
    "=3": "--set: has an empty key (got '=3'); write key=value, as in nodes=3",
    "a..b=3": "--set: has an empty key (got 'a..b=3'); write key=value, as in nodes=3",
    "script.args[x]=3": "--set: has an index that is no whole number (got 'script.args[x]=3'); write key=value, as in nodes=3",
    "script.args[7]=3": "--set: sets item 7 of script.args, which has 0 (got 'script.args[7]=3'); use index 0 at most",
    "nodes=0": "--set: nodes: must be 1 or more (got 0)",
}


@pytest.mark.parametrize("text", WRONG_SETS)
def test_a_wrong_set_is_answered(refused, text):
    assert refused("name: a\nscript: {module: x}\n", text) == [WRONG_SETS[text]]


def test_set_leaves_what_an_alias_shares(loaded):
    job = loaded("name: a\nscript: {module: x}\nlabels: &l {A: v}\nannotations: *l\n", "labels.A=w").job
    assert (job.labels, job.annotations) == ({"A": "w"}, {"A": "v"})


def test_values_print_the_layers_as_one_job(two):
    loaded = two("env: {A: 1.10, B: true}\nlabels: {tier: b}", "nodes=4")
    assert values(loaded) == {
        "namespace": "ml",
        "nodes": 4,
        "labels": {"team": "nlp", "tier": "b"},
        "image_pull_secrets": ["a", "b"],
        "grace_period": "5m",
        "name": "a",
        "script": {"module": "x"},
        "env": {"A": "1.10", "B": "true"},
    }


def test_values_hold_plain_types_that_any_printer_knows(two):
    assert type(values(two("max_restarts: 5"))["max_restarts"]) is int
