"""Which samples a rank has really been given, for those who want to check: off unless a folder is named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch

VARIABLE = "RALLYPOINT_SAMPLE_LOG"
"""A folder; each rank appends to `rank-R.jsonl` there: `{"epoch": 0, "rows": [...]}` per step."""


class SampleTrace:
    """Writes the rows that count; fillers of weight zero are left out."""

    def __init__(self, rank: int, environ: Mapping[str, str]) -> None:
        folder = environ.get(VARIABLE)
        self._path = Path(folder) / f"rank-{rank}.jsonl" if folder else None

    def note(self, epoch: int, rows: list[torch.Tensor], sizes: list[int]) -> None:
        """Appends the rows of one step's micro-batches."""
        if self._path is None:
            return
        counted = [row for one, size in zip(rows, sizes, strict=True) if size for row in one.tolist()]
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"epoch": epoch, "rows": counted}) + "\n")
