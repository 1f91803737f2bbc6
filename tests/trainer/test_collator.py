"""Padding to the longest sample and no further."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from rallypoint_trainer.collator import Collator

ROWS = [
    {"input_ids": [2, 7, 8, 3], "token_type_ids": [0, 0, 1, 1], "attention_mask": [1] * 4},
    {"input_ids": [2, 3], "token_type_ids": [0, 0], "attention_mask": [1] * 2},
]
ROWS = [{**row, "labels": n, "length": len(row["input_ids"]), "row": 10 + n} for n, row in enumerate(ROWS)]


def tokenizer(side: str = "right") -> SimpleNamespace:
    return SimpleNamespace(pad_token_id=9, pad_token_type_id=5, padding_side=side)


def test_a_batch_is_as_wide_as_its_longest_sample():
    batch = {name: tensor.tolist() for name, tensor in Collator(tokenizer(), ROWS[0])(ROWS).items()}
    assert batch == {
        "input_ids": [[2, 7, 8, 3], [2, 3, 9, 9]],
        "token_type_ids": [[0, 0, 1, 1], [0, 0, 5, 5]],
        "attention_mask": [[1, 1, 1, 1], [1, 1, 0, 0]],
        "labels": [0, 1],
        "row": [10, 11],
    }


def test_padding_is_on_the_tokenizers_side():
    assert Collator(tokenizer("left"), ROWS[0])(ROWS)["input_ids"][1].tolist() == [9, 9, 2, 3]


@pytest.mark.parametrize(("multiple", "width"), [(1, 4), (3, 6), (8, 8)])
def test_a_gpu_gets_a_round_width(multiple, width):
    assert Collator(tokenizer(), ROWS[0], multiple)(ROWS)["input_ids"].shape == torch.Size([2, width])


def test_the_model_gets_only_what_it_takes():
    assert set(Collator(tokenizer(), ["input_ids", "labels"])(ROWS)) == {"input_ids", "labels", "row"}
