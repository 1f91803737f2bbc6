"""Accuracy, F1 and loss over the whole world, from counts that add up exactly.

Every rank counts its own samples; the sums of the counts are the counts of the data set. No predictions
travel. Legend: B samples, C classes.
"""

# ruff: noqa: N803, N806  # tensors carry their shape as a suffix
from __future__ import annotations

import torch


class Tally:
    """What evaluation counts: per class how many were right, predicted, true; and the summed loss."""

    def __init__(self, classes: int) -> None:
        self._counts_3C = torch.zeros(3, classes, dtype=torch.float64)
        self._loss = torch.zeros(2, dtype=torch.float64)

    def add(self, loss: float, predicted_B: torch.Tensor, labels_B: torch.Tensor) -> None:
        """Counts one micro-batch; `loss` is its mean."""
        classes = self._counts_3C.shape[1]
        for row, values in enumerate((predicted_B[predicted_B == labels_B], predicted_B, labels_B)):
            self._counts_3C[row] += torch.bincount(values, minlength=classes)
        self._loss += torch.tensor([loss * len(labels_B), len(labels_B)], dtype=torch.float64)

    def numbers(self) -> torch.Tensor:
        """All counts in one tensor, to be summed over the ranks; exact up to 2**53 samples."""
        return torch.cat([self._counts_3C.reshape(-1), self._loss])

    @classmethod
    def of(cls, numbers: torch.Tensor) -> Tally:
        """The tally that `numbers` describe."""
        tally = cls((len(numbers) - 2) // 3)
        tally._counts_3C = numbers[:-2].reshape(3, -1)
        tally._loss = numbers[-2:]
        return tally

    @property
    def samples(self) -> int:
        """How many samples were counted."""
        return int(self._loss[1].item())

    def metrics(self, wanted: list[str]) -> dict[str, float]:
        """The mean loss, and `wanted` of accuracy and f1."""
        known = {"accuracy": self._accuracy(), "f1": self._f1()}
        return {"loss": (self._loss[0] / self._loss[1]).item(), **{name: known[name] for name in wanted}}

    def _accuracy(self) -> float:
        """The share of samples whose class was predicted."""
        return (self._counts_3C[0].sum() / self._loss[1]).item()

    def _f1(self) -> float:
        """`2 right / (predicted + true)`: of class 1 if there are two, else the mean over classes that occur.

        A class that occurs nowhere has no F1 and is left out, as in scikit-learn's f1_score(average="macro").
        """
        right_C, predicted_C, true_C = self._counts_3C
        total_C = predicted_C + true_C
        f1_C = torch.where(total_C > 0, 2 * right_C / total_C.clamp(min=1), torch.zeros_like(total_C))
        if len(f1_C) == 2:
            return f1_C[1].item()
        return f1_C[total_C > 0].mean().item()


def f1_average(classes: int) -> str:
    """Which F1 is meant: `binary` (of class 1) for two classes, else `macro`."""
    return "binary" if classes == 2 else "macro"
