"""training_args: names, values, defaults."""

from __future__ import annotations

import dataclasses

import pytest
from transformers import TrainingArguments

from rallypoint.errors import InputError
from rallypoint_trainer.arguments import (
    DEFAULTS,
    OURS,
    REFUSED,
    RENAMED,
    build_arguments,
    check_against_data,
    check_names,
)  # fmt: skip


def refusal(**asked) -> str:
    with pytest.raises(InputError) as caught:
        check_names(asked)
    return str(caught.value)


@pytest.mark.parametrize("name", sorted(OURS))
def test_what_the_job_decides_is_refused(name):
    assert refusal(**{name: "x"}).startswith(f"train.training_args.{name}: not yours to set ('x'), ")


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_would_break_the_job_is_refused_when_switched_on(name):
    assert "not supported (True)" in refusal(**{name: True})
    check_names({name: False})


@pytest.mark.parametrize("name", sorted(RENAMED))
def test_old_names_get_the_new_one(name):
    assert RENAMED[name] in refusal(**{name: 1})


@pytest.mark.parametrize("name", sorted({*OURS, *REFUSED, *DEFAULTS} - {"log_level_replica"}))
def test_the_tables_name_real_arguments(name):
    assert name in {field.name for field in dataclasses.fields(TrainingArguments)}


@pytest.mark.parametrize("name", sorted(RENAMED))
def test_old_names_are_really_gone(name):
    fields = {field.name for field in dataclasses.fields(TrainingArguments)}
    assert name not in fields or name.startswith("gradient_checkpointing")


def test_all_wrong_names_are_told_at_once():
    assert refusal(use_cpu=True, learning_rat=1, evaluation_strategy="no").count("\n") == 2


def test_the_users_value_beats_our_default(tmp_path):
    arguments = build_arguments({"logging_steps": 7, "bf16": False}, tmp_path, 0, True)
    assert (arguments.logging_steps, arguments.bf16) == (7, False)


def test_evaluation_needs_something_to_evaluate_on(tmp_path):
    arguments = build_arguments({"eval_strategy": "epoch"}, tmp_path, 0, False)
    with pytest.raises(InputError, match="no validation split"):
        check_against_data(arguments, ["accuracy"], has_validation=False)


def test_the_best_model_needs_a_metric_that_is_computed(tmp_path):
    arguments = build_arguments({"metric_for_best_model": "bleu"}, tmp_path, 0, False)
    with pytest.raises(InputError, match="no 'bleu'; use one of loss, accuracy"):
        check_against_data(arguments, ["accuracy"], has_validation=True)
