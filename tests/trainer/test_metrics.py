"""Accuracy, F1 and loss from counts, against scikit-learn."""

from __future__ import annotations

import pytest
import torch
from sklearn.metrics import accuracy_score, f1_score

from rallypoint_trainer.metrics import Tally, f1_average


def tallied(predicted: torch.Tensor, true: torch.Tensor, classes: int, parts: int) -> dict[str, float]:
    """The metrics when the samples are spread over `parts` ranks."""
    total = torch.zeros(3 * classes + 2, dtype=torch.float64)
    for part in range(parts):
        tally = Tally(classes)
        tally.add(0.5, predicted[part::parts], true[part::parts])
        total += tally.numbers()
    return Tally.of(total).metrics(["accuracy", "f1"])


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("parts", [1, 3])
def test_metrics_are_those_of_scikit_learn(classes, parts):
    generator = torch.Generator().manual_seed(classes)
    predicted, true = (torch.randint(0, classes, (100,), generator=generator) for _ in range(2))
    expected = {
        "loss": 0.5,
        "accuracy": accuracy_score(true, predicted),
        "f1": f1_score(true, predicted, average=f1_average(classes)),
    }
    assert tallied(predicted, true, classes, parts) == pytest.approx(expected, abs=1e-12)


def test_a_class_that_occurs_nowhere_is_left_out():
    predicted, true = torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0])
    assert tallied(predicted, true, 5, 1)["f1"] == pytest.approx(f1_score(true, predicted, average="macro"))


def test_the_loss_is_weighed_by_samples():
    tally = Tally(2)
    tally.add(1.0, torch.zeros(3, dtype=torch.int64), torch.zeros(3, dtype=torch.int64))
    tally.add(5.0, torch.zeros(1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64))
    assert tally.metrics([])["loss"] == 2.0


def test_no_prediction_of_the_positive_class_is_zero():
    assert tallied(torch.zeros(4).long(), torch.tensor([0, 1, 1, 0]), 2, 1)["f1"] == 0.0
