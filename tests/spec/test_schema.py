"""The JSON Schema: what editors see."""

# ruff: noqa: E501 - a case is one line

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from rallypoint.spec.fields import all_fields
from rallypoint.spec.schema import json_schema
from rallypoint.spec.training.table import OWNED, TRAINING_ARGS
from spec.conftest import SCRIPT_JOB, TRAIN_JOB
from spec.strategies import specs

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def with_arguments(arguments):
    return {**TRAIN_JOB, "train": {**TRAIN_JOB["train"], "training_args": arguments}}


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
@given(specs())
def test_the_schema_accepts_every_valid_job(document):
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []


@pytest.mark.parametrize(
    "more",
    [{"nodes": 0}, {"nodes": "2"}, {"gpus": 1}, {"kind": "pod"}, {"resources": {"gpu": 1}}, {"ttl": "5"}, {"env": {"A": []}}],
    ids=str,
)  # fmt: skip
def test_the_schema_refuses_a_wrong_job(more):
    assert not VALIDATOR.is_valid({**SCRIPT_JOB, **more})


@pytest.mark.parametrize(
    "more", [{"env": {"A": 5}}, {"env": {"A": True}}, {"kind": "JobSet"}, {"kind": "jobset"}], ids=str
)
def test_numbers_stand_for_text_and_kinds_have_both_spellings(more):
    assert VALIDATOR.is_valid({**SCRIPT_JOB, **more})


@pytest.mark.parametrize(
    "wrong",
    [{"learnin_rate": 1}, {"learning_rate": "x"}, {"eval_strategy": "x"}, {"output_dir": "x"}],
    ids=str,
)
def test_training_args_are_those_of_the_table(wrong):
    assert not VALIDATOR.is_valid(with_arguments(wrong))


def test_an_editor_that_reads_yaml_1_1_accepts_a_bare_no():
    assert VALIDATOR.is_valid(with_arguments({"eval_strategy": False}))


def test_exactly_one_of_train_and_script():
    assert not VALIDATOR.is_valid({**TRAIN_JOB, **SCRIPT_JOB})
    assert not VALIDATOR.is_valid({"name": "a"})


def test_every_field_has_a_meaning():
    assert [key for key, field in all_fields() if not field.description] == []


def test_every_argument_has_a_meaning_in_the_schema():
    properties = SCHEMA["$defs"]["TrainSpec"]["properties"]["training_args"]["properties"]
    assert [name for name in TRAINING_ARGS if name not in OWNED and not properties[name]["description"]] == []
