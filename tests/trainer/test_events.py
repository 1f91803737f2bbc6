"""One line per event, once, valid JSON."""

from __future__ import annotations

import json

from rallypoint_trainer.events import Events, kept


def test_an_event_goes_to_stdout_with_a_mark_and_to_the_file_without(tmp_path, capsys):
    Events(tmp_path, speaks=True).say("log", step=1, loss=0.5)
    line = '{"event": "log", "step": 1, "loss": 0.5}\n'
    assert (capsys.readouterr().out, (tmp_path / "events.jsonl").read_text()) == (f"rallypoint: {line}", line)


def test_other_ranks_are_silent(tmp_path, capsys):
    Events(tmp_path, speaks=False).say("log", step=1)
    assert (capsys.readouterr().out, list(tmp_path.iterdir())) == ("", [])


def test_what_is_no_number_becomes_null(tmp_path):
    Events(tmp_path, speaks=True).say("log", loss=float("nan"), metrics={"a": [float("inf")]})
    event = json.loads((tmp_path / "events.jsonl").read_text())
    assert event == {"event": "log", "loss": None, "metrics": {"a": [None]}}


def test_going_back_drops_what_will_happen_again():
    lines = [
        json.dumps({"event": kind, "step": step}) for step in (1, 2, 3) for kind in ("log", "eval", "save")
    ]
    assert kept(lines, 2) == lines[:6]


def test_going_back_keeps_what_belongs_to_no_step():
    lines = [json.dumps({"event": "start"}), json.dumps({"event": "notice", "text": "x"})]
    assert kept(lines, 0) == lines


def test_a_line_cut_off_by_a_kill_goes():
    assert kept(['{"event": "notice", "te'], 9) == []


def test_going_back_rewrites_the_file(tmp_path):
    events = Events(tmp_path, speaks=True)
    for step in (1, 2):
        events.say("log", step=step)
    events.rewind(1)
    assert (tmp_path / "events.jsonl").read_text() == '{"event": "log", "step": 1}\n'
