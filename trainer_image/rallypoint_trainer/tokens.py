"""Rows turned into token ids, once per node, kept on the node's own disk.

The columns are the model's inputs plus `labels`, `length` and `row` (the sample's number, counted from 0).
Refuses to pad: that happens per batch.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import datasets

from rallypoint.errors import InputError
from rallypoint_trainer.columns import Columns
from rallypoint_trainer.labels import Labels

ABOUT = "about.json"
IN_MEMORY = 1_000_000
"""Rows that are tokenised in memory; beyond, datasets' own cache file may double the disk that is used."""


class Samples(NamedTuple):
    """Tokenised data, as every rank of a node reads it."""

    train: datasets.Dataset
    validation: datasets.Dataset | None
    labels: list[str]
    digest: str
    """What the training samples are, whatever the file's name: ids and labels, hashed."""


class Recipe(NamedTuple):
    """How rows become samples."""

    columns: Columns
    labels: Labels
    tokenizer: Any
    longest: int
    """Tokens per sample at most."""


def cache_folder() -> Path:
    """Where this node keeps prepared data; HF_DATASETS_CACHE is pod-local by design."""
    return Path(datasets.config.HF_DATASETS_CACHE) / "rallypoint"


def cache_key(*parts: Any) -> str:
    """A name for data prepared from `parts`: fingerprints of the rows, the tokenizer, the settings."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:20]


def prepare(
    folder: Path, train: datasets.Dataset, validation: datasets.Dataset | None, recipe: Recipe
) -> None:
    """Tokenises both splits into `folder`, unless an earlier round has; written aside and renamed."""
    if (folder / ABOUT).exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".aside-", dir=folder.parent))
    try:
        samples = _tokenised(train, "train", recipe)
        samples.save_to_disk(str(aside / "train"))
        if validation is not None:
            rows = _tokenised(validation, "validation", recipe)
            rows.save_to_disk(str(aside / "validation"))
        about = {"labels": recipe.labels.names, "digest": _digest(samples)}
        (aside / ABOUT).write_text(json.dumps(about), encoding="utf-8")
        aside.rename(folder)
    except FileExistsError:
        pass  # another run on this machine was quicker; what it wrote has the same key
    except OSError:
        if not (folder / ABOUT).exists():
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def read(folder: Path) -> Samples:
    """What `prepare` wrote."""
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    validation = folder / "validation"
    return Samples(
        train=datasets.load_from_disk(str(folder / "train")),
        validation=datasets.load_from_disk(str(validation)) if validation.exists() else None,
        labels=about["labels"],
        digest=about["digest"],
    )


def _tokenised(rows: datasets.Dataset, split: str, recipe: Recipe) -> datasets.Dataset:
    """`rows` as token ids, without padding."""

    def encode(batch: dict[str, list[Any]], indices: list[int]) -> dict[str, list[Any]]:
        texts = [_texts(batch[name], name, split, indices) for name in recipe.columns.texts]
        encoded = recipe.tokenizer(*texts, truncation=True, max_length=recipe.longest, padding=False)
        column = recipe.columns.label
        found = zip(batch[column], indices, strict=True)
        return {
            **{name: encoded[name] for name in encoded},
            "labels": [recipe.labels.number(value, column, split, index + 1) for value, index in found],
            "length": [len(ids) for ids in encoded["input_ids"]],
            "row": indices,
        }

    return rows.map(
        encode,
        batched=True,
        with_indices=True,
        remove_columns=rows.column_names,
        load_from_cache_file=False,
        new_fingerprint="rallypoint",  # hashing a tokenizer is slow and not stable; our own key is used
        keep_in_memory=len(rows) < IN_MEMORY,
    )


def _texts(values: list[Any], column: str, split: str, indices: list[int]) -> list[str]:
    """The texts of one column; numbers are text too, a missing one is an error."""
    for value, index in zip(values, indices, strict=True):
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            what = "missing" if value is None else f"no text ({type(value).__name__})"
            raise InputError(
                f"train.dataset.text_column_names: '{column}' of {split} row {index + 1} is "
                f"{what}; mend the row"
            )
    return [str(value) for value in values]


def _digest(samples: datasets.Dataset) -> str:
    """A hash over all token ids and labels, in order."""
    total = hashlib.sha256()
    for batch in samples.select_columns(["input_ids", "labels"]).with_format("arrow").iter(10_000):
        for column in batch.columns:
            for chunk in column.chunks:
                values = chunk.flatten() if hasattr(chunk, "flatten") and chunk.type.num_fields else [chunk]
                flat = values if not isinstance(values, list) else values[0]
                total.update(flat.to_numpy(zero_copy_only=False).tobytes())
    return total.hexdigest()[:16]
