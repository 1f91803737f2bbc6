"""Kubernetes quantities as exact numbers."""

import re
from decimal import Decimal

import pytest

from rallypoint.quantity import QUANTITY_PATTERN, quantity

AMOUNTS = {
    "4": 4, ".5": Decimal("0.5"), "5.": 5, "1.50": Decimal("1.5"), "500m": Decimal("0.5"), ".5Gi": 2**29,
    "1Gi": 2**30, "0.1": Decimal("0.1"), "1e3": 1000, "2E-1": Decimal("0.2"), "3n": Decimal("3e-9"),
    "7E": 7 * 10**18, "1k": 1000,
}  # fmt: skip


@pytest.mark.parametrize("text", AMOUNTS)
def test_a_quantity_is_an_exact_number(text):
    assert re.fullmatch(QUANTITY_PATTERN, text)
    assert quantity(text) == AMOUNTS[text]


@pytest.mark.parametrize(
    "text", ["", ".", "-1", "+1", "1 Gi", "1ki", "1..2", "1e", "1e100", "1GB", "Gi", ".Gi", "1_0", "٣"]
)
def test_anything_else_is_none(text):
    assert not re.fullmatch(QUANTITY_PATTERN, text)
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        quantity(text)
