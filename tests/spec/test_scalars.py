"""Bare scalars: what they are in YAML 1.2, and where YAML 1.1 reads another value."""

# ruff: noqa: E501 - a case is one line

import math

import pytest

from rallypoint.loading.scalars import scalar

AGREED = {
    "": None, "~": None, "null": None, "true": True, "False": False, "5": 5, "-3": -3, "+1": 1, "0": 0, "0x10": 16,
    ".5": 0.5, "1.10": 1.1, "1e5": 1e5, "2e-5": 2e-5, "1.": 1.0, ".inf": math.inf, "2024-01-01": "2024-01-01",
    "1.2.3": "1.2.3", "a:b": "a:b", "80:8080": "80:8080", "-": "-", "+": "+", ".": ".", "-x": "-x", "1a": "1a",
    "nope": "nope", "0.5.1": "0.5.1", "16Gi": "16Gi", "15m": "15m",
}  # fmt: skip


@pytest.mark.parametrize("text", AGREED)
def test_both_readings_agree(text):
    value, doubt = scalar(text)
    assert (value, doubt, type(value) in (bool, str, type(None)) or value == AGREED[text]) == (
        AGREED[text],
        "",
        True,
    )


DOUBTFUL = {
    "no": "false", "off": "false", "N": "false", "yes": "true", "on": "true", "y": "true",
    "010": "the octal number 8", "0400": "the octal number 256", "0o10": "the octal number 8", "08": "a number",
    "1_000": "a number", "12:30": "a number", "1:30:00": "a number", "0b1": "a number", "-0x1": "a number",
    "9" * 19: "a rounded number", "9" * 5000: "a rounded number", "1e999": "text", "1_0.5": "a number",
}  # fmt: skip


@pytest.mark.parametrize("text", DOUBTFUL)
def test_the_readings_differ(text):
    assert scalar(text) == (text, DOUBTFUL[text])


AS_WRITTEN = ["5", "1.10", "2e-5", "true", "false", "-3", ".5", "2024-01-01"]


@pytest.mark.parametrize("written", AS_WRITTEN)
def test_a_number_or_boolean_reaches_env_and_args_as_it_is_written(loaded, written):
    job = loaded(f"name: a\nscript: {{module: x, args: [{written}]}}\nenv: {{A: {written}}}\n").job
    assert (job.env["A"], job.script.args) == (written, [written])


REFUSED = {
    "no": "YAML 1.1 (helm) reads this as false, YAML 1.2 does not (got no); quote it: 'no'",
    "010": "YAML 1.1 (helm) reads this as the octal number 8, YAML 1.2 does not (got 010); quote it: '010'",
    "True": "a bare True is the boolean true; quote it: 'True'",
    "0x10": "a bare 0x10 is the number 16; quote it: '0x10', or write 16",
    "1e5": "a bare 1e5 is the whole number 100000 to helm; quote it: '1e5'",
    "1.0": "a bare 1.0 is the whole number 1 to helm; quote it: '1.0'",
    "+1": "a bare +1 is the number 1; quote it: '+1', or write 1",
    ".inf": "a bare .inf is no finite number; quote it: '.inf'",
    "~": "has no value (null); give text or remove the key",
}


@pytest.mark.parametrize("written", REFUSED)
def test_what_could_be_two_texts_is_refused_in_env(refused, written):
    assert refused(f"name: a\nscript: {{module: x}}\nenv: {{A: {written}}}\n") == [
        f"job.yaml:3: env.A: {REFUSED[written]}"
    ]


def test_a_doubtful_boolean_says_what_to_write(refused):
    assert refused("name: a\nscript: {module: x}\ndebug: yes\n")[0].endswith("; write true")


def test_a_doubtful_number_says_what_to_write(refused):
    assert refused("name: a\nscript: {module: x}\nnodes: 010\n")[0].endswith("; write 8")


def test_a_doubtful_value_spelled_as_kubernetes_does_offers_both(refused):
    text = "name: a\nscript: {module: x}\nvolumes: [{mount: /x, secret: {defaultMode: 0400}}]\n"
    assert refused(text)[0].endswith("; quote it: '0400', or write 256")


def test_a_doubtful_key_is_refused(refused):
    (line,) = refused("name: a\nscript: {module: x}\nlabels: {y: v}\n")
    assert (
        line
        == "job.yaml:3: labels.y: YAML 1.1 (helm) reads this bare key as true, YAML 1.2 as text; quote it: 'y'"
    )


@pytest.mark.parametrize("quoted", ["'no'", '"010"', "'12:30'", "!!str yes"])
def test_quoted_text_is_text(loaded, quoted):
    assert loaded(f"name: a\nscript: {{module: x}}\nenv: {{A: {quoted}}}\n").job.env["A"] in (
        "no",
        "010",
        "12:30",
        "yes",
    )


TEXTS = ["a: b", "{{ x }}", "$(X)", "a\nb", "\U0001f600", "\"'", "#", " x ", "\t"]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_arrives_as_it_was_written(loaded, text):
    assert (
        loaded({"name": "a", "script": {"module": "x", "args": [text]}, "env": {"A": text}}).job.env["A"]
        == text
    )


ARGUMENTS = {
    "bf16: yes": "YAML 1.1 (helm) reads this as true, YAML 1.2 does not (got yes); write true",
    "seed: 99999999999999999999": "YAML 1.1 (helm) reads this as a rounded number, YAML 1.2 does not "
    "(got 99999999999999999999); write a smaller number",
    "run_name: off": "YAML 1.1 (helm) reads this as false, YAML 1.2 does not (got off); quote it: 'off'",
}


@pytest.mark.parametrize("written", ARGUMENTS)
def test_a_doubtful_training_argument_says_what_that_argument_takes(refused, written):
    train = "train: {task: text-classification, model: m/m, dataset: {path: d}, training_args: {%s}}"
    assert refused(f"name: a\n{train % written}\n") == [
        f"job.yaml:2: train.training_args.{written.partition(':')[0]}: {ARGUMENTS[written]}"
    ]


@pytest.mark.parametrize("closing", ["---", "---\n", "---\n# no more\n", "...\n", "...\n---\n", "---\n---\n"])
def test_a_closing_mark_is_no_second_document(loaded, closing):
    assert loaded(f"name: a\nscript: {{module: x}}\n{closing}").job.name == "a"


@pytest.mark.parametrize(
    "second", ["---\nx: 1", "---\n''", "---\n&a\n", "---\n- 1", "---\n!x\n", "---\n---\n~"]
)
def test_a_second_document_that_says_anything_is_refused(refused, second):
    [message] = refused(f"name: a\nscript: {{module: x}}\n{second}")
    assert message.endswith("a second document starts here; keep one job per file")
