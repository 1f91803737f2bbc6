"""Random documents: valid ones load, and nothing but SpecError ever comes out of a wrong one."""

import io
import json
import random
from copy import deepcopy

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rallypoint.errors import SpecError
from rallypoint.loading import load, values
from rallypoint.loading.wording import WORDINGS
from spec.strategies import specs

QUIET = settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
JUNK = [
    None, "", "x", -1, 0, 10**30, 1.5, float("nan"), float("inf"), True, [], {}, [None], {"": 1},
    {"a": {"b": []}}, "\x00", "\ud800", "hf_" + "a" * 30, [[[]]], {"secret": 1}, "no", "/", "../x", " ",
]  # fmt: skip


def outcome(text):
    """The loaded job, or the SpecError; anything else is a failure of the test."""
    try:
        return load(["-"], stdin=io.StringIO(text))
    except SpecError as error:
        assert error.problems
        return error


@QUIET
@given(specs())
def test_valid_documents_load_and_fit_a_cluster(document):
    load(["-"], stdin=io.StringIO(json.dumps(document)), cluster=True)


@QUIET
@given(specs())
def test_the_printed_values_load_as_the_same_job(document):
    loaded = load(["-"], stdin=io.StringIO(json.dumps(document)))
    again = load(["-"], stdin=io.StringIO(json.dumps(values(loaded))))
    assert again.job.model_dump() == loaded.job.model_dump()


def mutated(document, chance):
    """The document with one place changed: replaced, removed, renamed or added to."""
    places = [(document, key) for key in document]
    for container, key in places:
        inner = container[key]
        if isinstance(inner, dict):
            places += [(inner, name) for name in inner]
        elif isinstance(inner, list):
            places += [(inner, index) for index in range(len(inner))]
    container, key = chance.choice(places)
    action = chance.choice(["replace", "remove", "rename", "add"])
    if action == "replace" or not isinstance(container, dict):
        container[key] = deepcopy(chance.choice(JUNK))
    elif action == "remove":
        del container[key]
    else:
        container[chance.choice([str(key).title(), f"{key}s", "zzz", "no"])] = deepcopy(chance.choice(JUNK))
        if action == "rename":
            container.pop(key, None)
    return document


seen: list[bool] = []


@QUIET
@given(specs(), st.integers(0, 2**32))
def test_mutated_documents_raise_spec_error_or_load(document, seed):
    chance = random.Random(seed)
    for _change in range(chance.choice([0, 0, 0, 1, 2, 4])):
        document = mutated(document, chance) if document else {"name": "a"}
    seen.append(not isinstance(outcome(json.dumps(document)), SpecError))


def test_at_least_a_third_of_the_mutated_documents_were_valid():
    if not seen:
        test_mutated_documents_raise_spec_error_or_load()
    assert len(seen) >= 100
    assert 1 / 3 <= sum(seen) / len(seen) < 0.9


@QUIET
@given(st.text(st.sampled_from("abz: -\n\t[]{}&*!|>'\"#%@`,?~0.1e_\\\ufeff\x07\u2028")))
def test_random_text_raises_spec_error_or_loads(text):
    outcome(text)


@QUIET
@given(st.binary())
def test_random_bytes_raise_spec_error(data):
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    try:
        load(["-"], stdin=stream)
    except SpecError as error:
        assert error.problems


@QUIET
@given(st.text(st.sampled_from("nodes=3.a[0]{},\\ \n")))
def test_random_set_options_raise_spec_error_or_load(text):
    try:
        load([], ["name=a", "script.module=x", text])
    except SpecError as error:
        assert error.problems


def test_every_error_type_has_a_wording():
    """Pydantic names its types; the wordings know each that our models can raise."""
    from pydantic_core import core_schema

    known = set(core_schema.ErrorType.__args__)
    assert set(WORDINGS) - known == {"inside"}
