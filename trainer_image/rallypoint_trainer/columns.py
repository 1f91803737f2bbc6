"""Which columns hold the text and the label.

Refuses to guess beyond well-known names; the message lists what the data has.
"""

from __future__ import annotations

from typing import NamedTuple

from rallypoint.errors import InputError
from rallypoint.spec import DatasetSpec

TEXTS = (
    ("sentence1", "sentence2"), ("premise", "hypothesis"), ("question1", "question2"),
    ("question", "sentence"), ("question", "answer"), ("text1", "text2"),
    ("text",), ("sentence",), ("content",), ("review",),
)  # fmt: skip
"""Columns of text that are found by name, in this order; the pairs of GLUE first."""

LABELS = ("label", "labels")


class Columns(NamedTuple):
    """The columns to read."""

    text: str
    pair: str | None
    label: str

    @property
    def texts(self) -> list[str]:
        """The columns of text, one or two."""
        return [self.text] if self.pair is None else [self.text, self.pair]


def choose_columns(spec: DatasetSpec, present: list[str]) -> Columns:
    """The columns that `spec` names, or those with a well-known name among `present`.

    Raises: InputError that lists `present`.
    """
    texts = spec.text_column_names or _known_texts(present)
    for name in texts:
        _require(name, present, "text_column_names")
    label = spec.label_column_name or next((name for name in LABELS if name in present), "label")
    _require(label, present, "label_column_name")
    if label in texts:
        raise InputError(
            f"train.dataset.label_column_name: '{label}' is also a column of text; name two different columns"
        )
    return Columns(texts[0], texts[1] if len(texts) > 1 else None, label)


def _known_texts(present: list[str]) -> list[str]:
    """The first well-known column or pair that is all there."""
    for names in TEXTS:
        if set(names) <= set(present):
            return list(names)
    raise InputError(
        f"train.dataset.text_column_names: no well-known column of text (columns: {', '.join(present)}); "
        "name one or two of them"
    )


def _require(name: str, present: list[str], key: str) -> None:
    """Nothing, when the column is there."""
    if name not in present:
        raise InputError(
            f"train.dataset.{key}: the data has no column '{name}' (columns: {', '.join(present)}); "
            f"set {key} to one of them"
        )
