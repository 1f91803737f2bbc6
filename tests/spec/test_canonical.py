"""One spelling of JSON: that of Go, so that the chart has the same; tests/chart compares the two."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.canonical import canonical


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (3.0, "3"),
        (-0.0, "-0"),
        (0.0, "0"),
        (2e-5, "0.00002"),
        (1e-6, "0.000001"),
        (9.5e-7, "9.5e-7"),
        (1e-10, "1e-10"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (123456.75, "123456.75"),
        (True, "true"),
        (None, "null"),
        ("<&>", '"<&>"'),
        ("\u2028\u2029", '"\\u2028\\u2029"'),
        ("é\n", '"é\\n"'),
        ({"b": [1, {}], "a": []}, '{"a":[],"b":[1,{}]}'),
    ],
)
def test_it_is_spelled_as_go_does(value, text):
    assert canonical(value) == text


NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
)


@given(JSON)
def test_it_means_the_same(value):
    assert json.loads(canonical(value), parse_int=float) == value


def test_one_meaning_is_one_text():
    assert canonical({"a": 1, "b": 2.0}) == canonical({"b": 2, "a": 1.0})
    assert len({canonical({"a": value}) for value in (1, True, "1", None, [1])}) == 5
