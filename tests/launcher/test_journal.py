"""The output of the processes and the launcher's own log, on the way out."""

import os
import subprocess
import sys

import journal
import pump
import pytest


@pytest.fixture
def stream():
    """A stream into a pipe, and a function that says what has come out of it."""
    reading, writing = os.pipe()
    found = journal.Stream(writing)

    def came():
        found.flush(5)
        return os.read(reading, 65536).decode()

    yield found, came
    os.close(reading)


def test_pieces_of_one_origin_go_on_with_their_line(stream):
    out, came = stream
    out.put(1, b"50%")
    out.put(1, b" done\n")
    assert came() == "50% done\n"


def test_an_unfinished_line_of_another_origin_is_ended_first(stream):
    out, came = stream
    out.put(1, b"50%")
    out.put(2, b"hello\n")
    assert came() == "50%\nhello\n"


def test_a_progress_bar_that_returns_to_its_start_is_left_alone(stream):
    out, came = stream
    out.put(1, b"50%\r")
    out.put(2, b"hello\n")
    assert came() == "50%\rhello\n"


def test_the_end_of_what_a_process_said_is_kept(stream):
    out, came = stream
    text = "import sys; sys.stdout.write('x' * 100000 + 'last words')"
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as process:
        pumped = pump.Pump(process.stdout, out)
        came()
        came()
        pumped.drain(10)
    assert len(pumped.tail) == pump.KEPT_BYTES
    assert pumped.text().endswith("last words")


def test_a_reader_that_is_gone_does_not_end_the_launcher():
    reading, writing = os.pipe()
    os.close(reading)
    out = journal.Stream(writing)
    out.put(1, b"nobody reads this\n")
    out.put(1, b"nor this\n")
    out.flush(5)
    assert out._queue.unfinished_tasks == 0
