"""The termination message: JSON, under 4 KB, whatever is in it."""

import json

import ending
import pytest


@pytest.mark.parametrize(
    "trace", ["x" * 9000, "\n\"'\\" * 3000, "\U0001f600" * 4000, ""], ids=["x", "quotes", "emoji", ""]
)
def test_a_termination_message_is_json_under_4_kib(trace):
    text = ending.termination_message(ending.Ending(1, "rank 2 failed", 2, 1, 30, trace), {"run_id": "a-1"})
    assert len(text.encode()) < 4096
    assert json.loads(text)["rank"] == 2


def test_half_a_surrogate_pair_does_not_cost_the_message():
    text = ending.termination_message(ending.Ending(1, "bad \udcff", traceback="x \ud800" * 3000), {})
    assert len(text.encode()) < 4096
    assert json.loads(text)["message"] == "bad ?"


def test_the_end_of_the_traceback_is_what_is_kept():
    text = ending.termination_message(ending.Ending(1, "m", traceback="x" * 9000 + "ValueError: bad"), {})
    assert json.loads(text)["traceback"].endswith("ValueError: bad")


def test_the_message_goes_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("RALLYPOINT_TERMINATION_LOG", str(tmp_path / "log"))
    ending.write_termination_message("{}")
    assert (tmp_path / "log").read_text() == "{}"


def test_a_place_that_cannot_be_written_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("RALLYPOINT_TERMINATION_LOG", str(tmp_path / "none" / "log"))
    ending.write_termination_message("{}")
