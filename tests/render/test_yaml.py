"""What is printed means the same to YAML 1.1 (kubectl, helm) and 1.2."""

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from rallypoint.render.yaml import quote, to_yaml
from random_specs import AWKWARD
from render.cases import EVERYTHING

ORDINARY = st.text(st.characters(exclude_categories=["Cs"]))


def read_by_both(text):
    return [pyyaml.safe_load(text), YAML(typ="safe", pure=True).load(text)]


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_survives(text, blocks):
    value = {"a": {text: [text, {"b": text}]}, "c": 1}
    assert read_by_both(to_yaml(value, blocks)) == [value, value]


@given(st.recursive(
    ORDINARY | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(ORDINARY.filter(lambda key: len(key) < 100), inner),
    max_leaves=12,
), st.booleans())  # fmt: skip
def test_any_value_survives(value, blocks):
    document = {"top": value}
    assert read_by_both(to_yaml(document, blocks)) == [document, document]


@given(ORDINARY)
def test_any_quoted_text_survives(text):
    assert read_by_both(f"key: {quote(text)}") == [{"key": text}] * 2


@given(st.text(st.sampled_from("ab \n\t#:-'\"")))
def test_text_of_several_lines_survives_as_a_block(text):
    document = {"a": [{"b": text}], "c": text, "d": 1}
    assert read_by_both(to_yaml(document, blocks=True)) == [document, document]


@pytest.mark.parametrize("value", [None, 1, True, 1.5, ["a"]])
def test_only_text_can_be_quoted(value):
    with pytest.raises(TypeError):
        quote(value)


def test_a_script_is_a_block():
    assert to_yaml({"a.py": "import os\n\nprint(1)\n"}, blocks=True) == "a.py: |\n  import os\n\n  print(1)"


def test_plain_words_stay_bare():
    assert to_yaml({"image": "ghcr.io/acme/trainer:1.0", "path": "/dev/shm"}) == (
        "image: ghcr.io/acme/trainer:1.0\npath: /dev/shm"
    )


@pytest.mark.parametrize("case", EVERYTHING[::5], ids=lambda case: case.id)
def test_what_is_printed_reads_as_the_objects(case):
    from rallypoint.render import to_yaml as documents

    text = documents(case.objects)
    assert list(pyyaml.safe_load_all(text)) == case.objects
    assert list(YAML(typ="safe", pure=True).load_all(text)) == case.objects
