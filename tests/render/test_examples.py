"""Each example says what it is, what it needs and how to run it; the maximal fixtures leave out no field."""

import re

import pytest

from rallypoint.loading import load
from rallypoint.spec import kinds
from rallypoint.spec.fields import all_fields
from random_specs import KINDS, KINDS_WITH, spec
from render.cases import ROOT

FILES = sorted(ROOT.glob("examples/*/job.yaml"))
EXCLUSIVE = ("train", "script")


def test_the_four_examples_are_there():
    assert {path.parent.name for path in FILES} == {"gpu", "minimal", "mrpc", "script"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_an_example_opens_with_what_it_needs_and_the_command(path):
    opening = re.match(r"(#[^\n]*\n)+", path.read_text())[0]
    assert "# Needs: " in opening
    assert f"rallypoint render {path.relative_to(ROOT)}" in opening


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_an_example_is_valid_without_notices(path):
    assert load([path]).notices == ()


def test_the_tutorials_job_is_the_tutorials():
    job = load([ROOT / "examples/mrpc/job.yaml"]).job
    arguments = job.train.training_args
    assert (job.nodes, job.nproc) == (3, 1)
    assert (arguments["eval_strategy"], arguments["save_strategy"], arguments["logging_steps"]) == (
        "epoch",
        "epoch",
        10,
    )


def test_the_tutorials_data_are_in_the_repository():
    folder = ROOT / "examples/data/mrpc"
    lines = {path.stem: path.read_text().count("\n") for path in folder.glob("*.jsonl")}
    assert lines == {"train": 3668, "validation": 408, "test": 1725}
    assert "not covered by this project's licence" in (folder / "README.md").read_text()


def fixture(kind: str) -> dict:
    return load([ROOT / f"tests/fixtures/maximal-{kind}.yaml"]).document


def given(document: object, key: str) -> bool:
    """Whether a document gives the field with this dotted key."""
    first, _, rest = key.partition(".")
    if isinstance(document, list):
        return any(given(item, key) for item in document)
    if not isinstance(document, dict):
        return False
    values = list(document.values()) if first == "*" else [document.get(first.removesuffix("[]"))]
    return any(value is not None and (not rest or given(value, rest)) for value in values)


@pytest.mark.parametrize("kind", KINDS)
def test_a_maximal_fixture_gives_every_field_that_its_kind_accepts(kind):
    document = fixture(kind)
    program = "train" if "train" in document else "script"
    keys = {key for key, _ in all_fields() if key.split(".")[0] not in EXCLUSIVE or key.startswith(program)}
    # of the sources of one storage only one can be given; the volumes give each
    one_of = {key for key in keys if re.match(r"(output|cache|script)\.", key)}
    missing = {key for key in keys - one_of if not given(document, key)}
    assert missing == {field for field, lacking in kinds.LACKS.items() if kind in lacking}


def test_the_maximal_fixtures_together_give_every_way_to_say_the_program():
    programs = [fixture(kind) for kind in KINDS]
    assert all(
        any(given(document, key) for document in programs)
        for key, _ in all_fields()
        if key.split(".")[0] in EXCLUSIVE
    )


@pytest.mark.parametrize("kind", KINDS)
def test_random_specs_give_every_field_at_the_top(kind):
    seen = {key for seed in range(60) for key in spec(kind, seed)}
    lacking = {field for field, having in KINDS_WITH.items() if kind not in having}
    assert {key for key, _ in all_fields() if "." not in key} - seen == lacking


def test_random_specs_know_which_kind_has_which_field():
    assert {field: set(KINDS) - set(having) for field, having in KINDS_WITH.items()} == {
        field: set(lacking) for field, lacking in kinds.LACKS.items()
    }
