"""Samples of one micro-batch as tensors, padded to the longest among them and never further.

Legend: B samples, T tokens. Refuses to truncate: that was done when tokenising.
"""

# ruff: noqa: N806  # tensors carry their shape as a suffix
from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import torch

NOT_INPUTS = ("labels", "length", "row")


class Collator:
    """Pads with the tokenizer's own values, on its own side."""

    def __init__(self, tokenizer: Any, accepted: Collection[str], multiple_of: int = 1) -> None:
        self._accepted = set(accepted)
        """The names that the model's forward takes; tokenizers give token_type_ids to models without."""
        self._values = {
            "input_ids": tokenizer.pad_token_id,
            "token_type_ids": tokenizer.pad_token_type_id,
            "attention_mask": 0,
        }
        self._left = tokenizer.padding_side == "left"
        self._multiple_of = multiple_of
        """8 on GPUs, whose tensor cores want it; 1 on CPUs, where each padded token costs."""

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        """`input_ids_BT`, `attention_mask_BT`, perhaps `token_type_ids_BT`, `labels_B`, and `row_B`."""
        longest = max(row["length"] for row in rows)
        width = -(-longest // self._multiple_of) * self._multiple_of
        inputs = self._accepted - set(NOT_INPUTS)
        batch = {name: self._padded(rows, name, width) for name in rows[0] if name in inputs}
        for name in ("labels", "row"):
            batch[name] = torch.tensor([row[name] for row in rows], dtype=torch.int64)
        return batch

    def _padded(self, rows: list[dict[str, Any]], name: str, width: int) -> torch.Tensor:
        """One input of all rows, `BT`."""
        values_BT = np.full((len(rows), width), self._values.get(name, 0), dtype=np.int64)
        for number, row in enumerate(rows):
            length = row["length"]
            place = slice(width - length, width) if self._left else slice(0, length)
            values_BT[number, place] = row[name]
        return torch.from_numpy(values_BT)
