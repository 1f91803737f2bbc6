"""The contract as the trainer reads it."""

from __future__ import annotations

import pytest

from rallypoint.errors import InputError
from rallypoint_trainer.contract import contract_from, read_contract

DOCUMENT = {
    "version": 1, "name": "tiny", "nodes": 3, "nproc_per_node": 2, "gpus": 0, "output": "/output/tiny",
    "train": {"task": "text-classification", "model": "bert", "dataset": {"path": "glue"}},
}  # fmt: skip


def test_the_world_is_nodes_times_processes():
    assert contract_from(DOCUMENT).world_size == 6


def test_a_models_short_form_is_its_name():
    assert contract_from(DOCUMENT).model.pretrained_model_name_or_path == "bert"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"version": 2}, "version 2, this image's trainer knows 1; rebuild the image"),
        ({"train": None}, "it has no 'train'"),
        ({"output": None}, "output: training needs a place to write to"),
        ({"train": {**DOCUMENT["train"], "lora": {}}}, "train.lora: extra inputs are not permitted"),
    ],
)
def test_what_the_trainer_cannot_use_is_refused(change, text):
    with pytest.raises(InputError) as caught:
        contract_from({**DOCUMENT, **change})
    assert text in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_contract(tmp_path / "contract.json")


def test_a_file_that_is_no_json_is_named(tmp_path):
    path = tmp_path / "contract.json"
    path.write_text("name: x")
    with pytest.raises(InputError, match="is no JSON"):
        read_contract(path)
