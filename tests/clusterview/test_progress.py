"""How far a training is, from its marked lines."""

import pytest

from rallypoint.cluster.progress import progress

LOG = [
    'rallypoint: {"event": "start", "max_steps": 200}',
    "something else",
    'rallypoint: {"event": "log", "step": 40, "loss": 0.61, "tokens_per_second": 1234.4, "seconds_left": 99}',
    'rallypoint: {"event": "eval", "step": 40, "loss": 9}',
    "rallypoint: {broken",
]


def test_the_last_events_say_step_loss_speed_and_time_left():
    assert str(progress(LOG)) == "step 40/200  loss 0.6100  1234 tokens/s  1:39 left"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('rallypoint: {"event": "log", "step": 3}', "step 3/?"),
        (
            'rallypoint: {"event": "log", "step": 3, "loss": null, "samples_per_second": 5.25}',
            "step 3/?  5.2 samples/s",
        ),
        ('rallypoint: {"event": "log", "step": 3, "loss": "nan"}', "step 3/?"),
    ],
)
def test_what_is_not_known_is_left_out(line, shown):
    assert str(progress([line])) == shown


@pytest.mark.parametrize("lines", [[], ["hello"], ['rallypoint: {"event": "start"}'], ["rallypoint: {"]])
def test_a_log_without_a_step_has_no_progress(lines):
    assert progress(lines) is None


@pytest.mark.parametrize(
    "line",
    [
        '{"event": "log", "step": 1, "max_steps": 2, "seconds_left": 1e999}',
        '{"event": "log", "step": 1, "max_steps": 2, "loss": 1' + "0" * 400 + "}",
        '{"event": "log", "step": 1, "max_steps": 2, "loss": NaN, "tokens_per_second": -Infinity}',
        '{"event": "log", "step": 1, "max_steps": 2, "loss": {"a": 1}}',
    ],
    ids=["infinite", "huge", "NaN", "a map"],
)
def test_a_number_that_is_none_is_left_out(line):
    found = progress([f"rallypoint: {line}"])
    assert str(found) == "step 1/2"
    assert found[2:] == (None,) * 4


def test_a_line_that_nests_without_end_is_no_event():
    assert progress(["rallypoint: " + '{"event":' * 5000]) is None
