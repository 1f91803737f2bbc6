"""A template prints; it does not decide."""

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from rallypoint.podview import view
from rallypoint.render import engine

FOLDER = Path(engine.__file__).parent / "templates"
TEMPLATES = sorted(FOLDER.glob("*.j2"))
EXPRESSION = re.compile(r"\{\{ (.*?) \}\}")
NUMBERS = {"nodes", "port", "backoff_limit", "deadline_seconds", "ttl_seconds", "grace_seconds"}
PARTS = {"metadata", "pod", "job_spec", "policies"}


def expressions():
    return [(path.name, found) for path in TEMPLATES for found in EXPRESSION.findall(path.read_text())]


def test_templates_are_found():
    assert len(TEMPLATES) > 12


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_block_is_indented_by_its_column(path):
    for line in path.read_text().splitlines():
        for found in re.finditer(r"\{\{ [^}]*\| indent\((\d+)\) \}\}", line):
            assert int(found[1]) == found.start(), line


def test_every_value_goes_through_a_filter_or_is_a_number():
    for name, text in expressions():
        plain = text in NUMBERS
        part = re.fullmatch(r"(\w+) \| trim \| indent\(\d+\)", text)
        filtered = re.fullmatch(r"[\w.]+ \| (quote|to_yaml \| indent\(\d+\))", text)
        assert plain or filtered or (part and part[1] in PARTS), f"{name}: {text}"


def test_conditions_are_bare_names():
    statements = [s for path in TEMPLATES for s in re.findall(r"\{% (.*?) %\}", path.read_text())]
    allowed = r"if \w+(\.\w+)?|endif|for claim in claims|endfor|set \w+|endset|include \"_\w+\.yaml\.j2\""
    assert [s for s in statements if not re.fullmatch(allowed, s)] == []


def test_every_field_of_the_view_is_printed_somewhere(job):
    words = " ".join(
        found for path in TEMPLATES for found in re.findall(r"\{[{%] (.*?) [}%]\}", path.read_text())
    )
    unused = [field for field in view(job(), {}).names() if not re.search(rf"\b{field}\b", words)]
    # these choose the templates, are put in beside them, or change what was printed
    assert unused == ["kind", "config_data", "files_data", "policy", "pod_patch", "container_patch"]


def test_a_name_that_the_view_lacks_is_an_error(monkeypatch, job):
    decided = view(job(), {})
    environment = engine._environment()
    with pytest.raises(UndefinedError):
        environment.from_string("{% if spelt_wrong %}x{% endif %}").render(decided.names())


@pytest.mark.parametrize("value", [None, True, ["a"], {"a": 1}])
def test_a_bare_value_must_be_text_or_a_number(value):
    with pytest.raises(TypeError):
        engine._environment().from_string("{{ value }}").render(value=value)
