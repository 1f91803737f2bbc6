"""The classes: found in the training split, numbered from 0, written into the model's config.

Refuses labels that are missing, fractional, or appear in validation only.
"""

from __future__ import annotations

from typing import Any

import datasets

from rallypoint.errors import InputError

WHERE = "train.dataset.label_column_name"


class Labels:
    """The label set, in the order of the class numbers."""

    def __init__(self, names: list[str], numbers: dict[Any, int]) -> None:
        self.names = names
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self.names)

    def number(self, value: Any, column: str, split: str, row: int) -> int:
        """The class of one row's label; `row` is counted from 1.

        Raises: InputError when the training split does not have it.
        """
        key = _key(value, column, split, row)
        if key not in self._numbers:
            raise InputError(
                f"{WHERE}: '{column}' of {split} row {row} is {value!r}, which train does not have "
                f"({', '.join(self.names[:20])}); mend the row, or put such samples into train too"
            )
        return self._numbers[key]


def find_labels(train: datasets.Dataset, column: str) -> Labels:
    """The classes of the training split: a ClassLabel's own names, else the sorted distinct values.

    Raises: InputError when there are fewer than two, or one is missing.
    """
    feature = train.features[column]
    if isinstance(feature, datasets.ClassLabel):
        return Labels(list(feature.names), {number: number for number in range(feature.num_classes)})
    if isinstance(feature, datasets.Sequence | datasets.List):
        raise InputError(
            f"{WHERE}: '{column}' holds lists, this task takes one label per row ({feature}); "
            "name another column"
        )
    keys = {_key(value, column, "train", row) for row, value in enumerate(train[column], start=1)}
    if len(keys) < 2:
        raise InputError(
            f"{WHERE}: '{column}' has only one value in train ({next(iter(keys))!r}); "
            "classification needs at least two"
        )
    if len({isinstance(key, str) for key in keys}) > 1:
        raise InputError(_mixed(train, column))
    ordered = sorted(keys)
    return Labels([str(key) for key in ordered], {key: number for number, key in enumerate(ordered)})


def _mixed(train: datasets.Dataset, column: str) -> str:
    """What to say about the first row whose label is text where those before were numbers, or the reverse."""
    values = list(train[column])
    row = next(at for at, value in enumerate(values) if isinstance(value, str) != isinstance(values[0], str))
    return (
        f"{WHERE}: '{column}' mixes numbers and text: train row {row + 1} is {values[row]!r}, "
        f"row {row} is {values[row - 1]!r}; use one kind"
    )


def _key(value: Any, column: str, split: str, row: int) -> int | str:
    """`value` as a label: whole number or text."""
    if isinstance(value, str | int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    what = "missing" if value is None else f"{value!r}, neither a whole number nor text"
    raise InputError(f"{WHERE}: '{column}' of {split} row {row} is {what}; give every row one label")
