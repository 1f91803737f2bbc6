"""What a checkpoint was trained with, and what may differ afterwards."""

from __future__ import annotations

import pytest

from rallypoint.errors import InputError
from rallypoint_trainer.settings import compare

ARGS = "train.training_args."
OLD = {
    "world_size": 3,
    "train.model.pretrained_model_name_or_path": "bert",
    f"{ARGS}learning_rate": 1e-3,
    f"{ARGS}seed": 1,
    f"{ARGS}per_device_train_batch_size": 16,
    f"{ARGS}num_train_epochs": 3,
    f"{ARGS}logging_steps": 10,
    "train.dataset.samples": 100,
    "train.dataset.digest": "aa",
    "train.dataset": "data_files: a.jsonl",
}


def test_the_same_settings_need_no_word():
    assert compare(OLD, dict(OLD), "checkpoint-5") == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("world_size", 2),
        ("train.model.pretrained_model_name_or_path", "roberta"),
        (f"{ARGS}learning_rate", 2e-3),
        (f"{ARGS}seed", 2),
        (f"{ARGS}per_device_train_batch_size", 8),
    ],
)
def test_what_changes_the_course_is_refused_with_both_values(key, value):
    with pytest.raises(InputError) as caught:
        compare(OLD, {**OLD, key: value}, "checkpoint-5")
    assert str(caught.value) == (
        f"{key}: checkpoint-5 was trained with {OLD[key]!r}, the job says {value!r}; "
        "set it back, or start anew with --fresh or another name"
    )


@pytest.mark.parametrize("key", [f"{ARGS}num_train_epochs", f"{ARGS}logging_steps"])
def test_longer_training_and_another_cadence_get_a_notice(key):
    assert compare(OLD, {**OLD, key: 50}, "checkpoint-5") == [
        f"{key}: {OLD[key]} in checkpoint-5, 50 from now on"
    ]


def test_other_data_is_refused():
    new = {
        **OLD,
        "train.dataset.samples": 90,
        "train.dataset.digest": "bb",
        "train.dataset": "data_files: b.jsonl",
    }
    with pytest.raises(
        InputError, match=r"was: 100 samples, data_files: a.jsonl; now: 90 samples, data_files: b"
    ):
        compare(OLD, new, "checkpoint-5")


def test_the_same_data_from_another_place_is_fine():
    assert "same samples from another place" in compare(OLD, {**OLD, "train.dataset": "b"}, "checkpoint-5")[0]


def test_all_differences_are_named_at_once():
    with pytest.raises(InputError) as caught:
        compare(OLD, {**OLD, "world_size": 2, f"{ARGS}seed": 2}, "checkpoint-5")
    assert str(caught.value).count("\n") == 1


def test_a_first_start_has_nothing_to_compare():
    assert compare({}, OLD, "") == []
