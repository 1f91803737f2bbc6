"""Our reading of bare scalars beside that of another YAML 1.1 reader: what differs is named, or refused."""

import random
import re

import pytest

from rallypoint.loading.scalars import scalar

yaml = pytest.importorskip("yaml")

# ruff: noqa: E501 - a table's rows

SPECIAL = [
    "yes", "No", "on", "OFF", "y", "n", "~", "null", "Null", "true", "True", ".inf", "-.inf", ".nan", "=", "0x1F",
    "0b1", "1.5e+3", "190:20:30", "685_230.15", "1.", "-0", "00", "0x", "0.", "._", "_1", "1_", "0x_1", "1:2.5",
]  # fmt: skip
HELM_READS_A_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
"""go-yaml's own pattern: PyYAML wants a dot before an exponent and a digit after a sign, helm does not."""
HELM_READS_TEXT = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*")
"""Dates, which go-yaml gives helm as text."""


def equal(ours, theirs):
    """Whether both are of one type and value; not a number equals itself here."""
    return (
        isinstance(ours, float) and repr(float(ours)) == repr(float(theirs))
        if type(theirs) is float
        else type(theirs) in type(ours).__mro__ and ours == theirs
    )


def test_a_scalar_without_doubt_means_the_same_to_both_readers():
    chance = random.Random(1)
    words = ["".join(chance.choices("0123456789_.:xobeE+-", k=chance.randint(1, 7))) for _ in range(3000)]
    different = []
    for text in SPECIAL + words:
        try:
            (theirs,) = yaml.safe_load(f"- {text}\n")
        except (yaml.YAMLError, ValueError, OverflowError):
            continue
        ours, doubt = scalar(text)
        if isinstance(theirs, dict | list) or doubt or equal(ours, theirs):
            continue
        if not (HELM_READS_A_NUMBER.fullmatch(text) or HELM_READS_TEXT.fullmatch(text)):
            different.append((text, ours, theirs))
    assert different == []
