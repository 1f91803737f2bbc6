"""An error of the program: a traceback where it arose, one line where a rank only lost the other."""

from __future__ import annotations

import signal


def test_an_exception_ends_the_rank_with_1_and_is_recorded(make_job):
    job = make_job()
    job.environment["RALLYPOINT_SAMPLE_LOG"] = "/nowhere"  # cannot be written: an error at the first step
    ended = job.run(60)
    assert ended.codes == [1, 1]
    assert all(message.startswith("FileNotFoundError: ") for message in ended.errors.values())
    assert ended.stderr.count("Traceback (most recent call last)") == 2


def test_a_killed_rank_is_one_line_in_the_others(make_job):
    job = make_job(max_steps=100_000, logging_steps=1000)
    ranks = job.start()
    ranks.until(lambda: ranks.step() >= 2)
    ranks.signal(1, signal.SIGKILL)
    ended = ranks.wait(60)
    assert ended.codes == [1, -9]
    assert ended.errors[0].startswith("lost contact with another rank (")
    assert ended.stderr.count("\n") == 1
