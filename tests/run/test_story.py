"""Which of the nodes' lines reach the screen, and as what."""

import json

import pytest

from rallypoint.run import story
from rallypoint.run.lines import Lines
from rallypoint.run.story import Story
from rallypoint.run.training import Training, numbers

JOURNAL = "[rallypoint 12:30:05 node {}] {}"


class Paper:
    """A screen that keeps what is written."""

    live = False

    def __init__(self):
        self.out, self.err = [], []

    def put(self, text):
        self.out.append(text)

    def say(self, text, style=""):
        self.err.append(text)

    def progress(self, *facts):
        pass


@pytest.fixture
def paper(monkeypatch):
    monkeypatch.setattr(story, "HELD_SECONDS", 1e-9)
    monkeypatch.setattr(story, "TWIN_SECONDS", 1e-9)
    return Paper()


@pytest.fixture
def told(paper):
    return Story(paper, Training("tiny", paper), nodes=2, verbose=False)


def test_a_line_on_stderr_is_shown_when_nothing_fails(told, paper):
    told.line(0, "stderr", "a word of warning")
    told.tick()
    assert paper.err == ["a word of warning"]


def test_a_traceback_is_dropped_when_its_round_failed(told, paper):
    told.line(1, "stderr", "Traceback (most recent call last):")
    told.line(1, "stderr", JOURNAL.format(1, "rank 1 on node 1: ValueError: bad; ended with 1 after 2.0 s"))
    told.tick()
    assert paper.err == []


def test_another_nodes_line_on_stderr_stays_when_a_round_fails_elsewhere(told, paper):
    told.line(0, "stderr", "a word of warning")
    told.line(1, "stderr", JOURNAL.format(1, "rank 1 on node 1: ValueError: bad; ended with 1 after 2.0 s"))
    told.tick()
    assert paper.err == ["a word of warning"]


def test_a_failure_at_the_end_drops_what_was_held(told, paper):
    told.line(0, "stderr", "Traceback (most recent call last):")
    told.end(failed=True)
    assert paper.err == []


def test_a_new_round_is_told_with_its_reason(told, paper):
    why = "again because node 1 was lost; restarts used: 0 of 3"
    text = f"round 3: rank 0 of 2, 2 nodes, master 127.0.0.1:2; {why}"
    told.line(0, "stderr", JOURNAL.format(0, text))
    assert paper.err == ["round 3 begins; before: node 1 was lost"]


def test_nodes_that_wait_for_the_same_say_so_once(told, paper):
    for node in (0, 1):
        text = f"waiting for node 0: refused; since 12:00:00, for {node} s, at most 900 s"
        told.line(node, "stderr", JOURNAL.format(node, text))
    assert len(paper.err) == 1


def test_warnings_that_differ_in_numbers_alone_are_shown_once(told, paper):
    for node in (0, 1):
        told.line(node, "stderr", f"[W1130 09:00:0{node}.5 socket.cpp:12] warning from process {node}")
    told.tick()
    assert len(paper.err) == 1


def test_a_log_event_is_one_short_line(told, paper):
    event = {
        "event": "log",
        "step": 10,
        "max_steps": 231,
        "loss": 0.61,
        "samples_per_second": 54.2,
        "seconds_left": 210,
    }
    told.line(0, "stdout", f"rallypoint: {json.dumps(event)}")
    assert (paper.out, paper.err) == ([], ["step 10/231  loss 0.6100  54.2 samples/s  3:30 left"])


def test_the_step_that_a_run_reached_counts_though_it_was_not_logged(paper):
    training = Training("tiny", paper)
    training.event({"event": "log", "step": 230, "max_steps": 231})
    training.event({"event": "end", "step": 231})
    assert training.step == 231


@pytest.mark.parametrize("line", ["rallypoint: {not json", "rallypoint: " + '{"event":' * 5000])
def test_a_line_that_only_looks_like_an_event_is_passed_on(told, paper, line):
    told.line(0, "stdout", line)
    assert paper.out == [line]


@pytest.mark.parametrize(
    "number", ["1" + "0" * 400, "1e999", "NaN", "[1]"], ids=["huge", "inf", "nan", "list"]
)
def test_a_number_that_is_none_is_left_out(told, paper, number):
    fields = f'"loss": {number}, "seconds_left": {number}, "samples_per_second": {number}'
    told.line(0, "stdout", f'rallypoint: {{"event": "log", "step": 1, "max_steps": 2, {fields}}}')
    told.line(0, "stdout", f'rallypoint: {{"event": "eval", "step": 1, "metrics": {number}}}')
    assert paper.err[0].rstrip() == "step 1/2"


def test_metrics_come_without_timings_and_counts():
    found = numbers({"eval_loss": 0.5, "eval_accuracy": 0.8, "eval_runtime": 2.0, "steps": 40, "epoch": 3.0})
    assert found == "accuracy 0.8000, loss 0.5000"


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ([b"one\ntw", b"o\n"], ["one", "two"]),
        ([b"10%\r50%\r100%\n"], ["100%"]),
        ([b"10%\r", b"50%\r", b"\nnext\n"], ["50%", "next"]),
        (["\u00fc\n".encode()[:1], "\u00fc\n".encode()[1:]], ["\u00fc"]),
        ([b"\xff\n"], ["\ufffd"]),
        ([b"windows\r\n"], ["windows"]),
    ],
)
def test_lines_are_whole(pieces, lines):
    reader = Lines()
    assert [line for piece in pieces for line in reader.feed(piece)] == lines


def test_the_rest_of_a_pipe_is_a_line():
    reader = Lines()
    reader.feed(b"no end")
    assert reader.rest() == ["no end"]
