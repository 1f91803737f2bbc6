"""The job's samples on this node: loaded and tokenised by its first rank, read by all.

No collective is open meanwhile, so it may take as long as it takes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from rallypoint.errors import InputError
from rallypoint.spec import DatasetSpec
from rallypoint_trainer import tokens
from rallypoint_trainer.columns import choose_columns
from rallypoint_trainer.contract import Contract
from rallypoint_trainer.dataset import load_rows, undecodable
from rallypoint_trainer.labels import find_labels
from rallypoint_trainer.model import longest_sequence
from rallypoint_trainer.world import World


def samples_of(contract: Contract, world: World, tokenizer: Any, config: Any) -> tokens.Samples:
    """The tokenised samples, the same on every rank.

    Raises: InputError on all ranks for anything wrong with the data, wherever it shows.
    """
    folder = world.of_node("data", lambda: str(_prepared(contract, tokenizer, config)))
    return world.together("samples", lambda: tokens.read(Path(folder)))


def _prepared(contract: Contract, tokenizer: Any, config: Any) -> Path:
    """The folder with this node's prepared data."""
    spec = contract.train.dataset
    try:
        return _tokenised(spec, tokenizer, config)
    except UnicodeDecodeError as error:
        raise InputError(undecodable(spec, error)) from error


def _tokenised(spec: DatasetSpec, tokenizer: Any, config: Any) -> Path:
    """The folder with the tokenised rows of `spec`."""
    train, validation = load_rows(spec)
    columns = choose_columns(spec, train.column_names)
    if validation is not None:
        choose_columns(spec, validation.column_names)
    longest = longest_sequence(tokenizer, config, spec.max_seq_length)
    labels = find_labels(train, columns.label)
    fingerprints = [rows._fingerprint if rows is not None else None for rows in (train, validation)]
    folder = tokens.cache_folder() / tokens.cache_key(fingerprints, columns, longest, _identity(tokenizer))
    tokens.prepare(folder, train, validation, tokens.Recipe(columns, labels, tokenizer, longest))
    return folder


def _identity(tokenizer: Any) -> str:
    """A hash of everything that decides which ids a text becomes."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    text = backend.to_str() if backend is not None else repr(sorted(tokenizer.get_vocab().items()))
    return hashlib.sha256(text.encode()).hexdigest()
