"""What reaches a terminal is text: no value can colour it, move its cursor or ring its bell."""

import pytest

from rallypoint.cli.messages import say

CONTROL = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) != "\n"]


@pytest.mark.parametrize("letter", CONTROL, ids=lambda letter: f"U+{ord(letter):04X}")
def test_every_control_character_is_spelled_out(letter, capsys):
    say(f"a{letter}b")
    assert capsys.readouterr().err == f"a{letter!r}b\n".replace("'", "")


def test_lines_and_letters_stay_as_they_are(capsys):
    say("one: \\x1b\n  two: Z\u00fcrich \u2014 \u6f22")
    assert capsys.readouterr().err == "one: \\x1b\n  two: Z\u00fcrich \u2014 \u6f22\n"
