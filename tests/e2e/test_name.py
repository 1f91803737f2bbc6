"""The longest names that `render` lets through really run, with an index of two digits."""

from __future__ import annotations

import pytest

from rallypoint.spec.kinds import longest_name

from .conftest import Start
from .kind import Kind
from .programs import HOLD, MEET

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]


def test_the_longest_name_runs_with_an_index_of_two_digits(kind: Kind, start: Start) -> None:
    name = kind.name.ljust(longest_name(kind.name, 12), "n")  # type: ignore[arg-type]
    run = start(kind, name, MEET + HOLD, nodes=12)
    run.wait_for_ranks(12, seconds=240)
    run.let_go()
    run.wait_until_done()
    assert [run.told(rank)["node"] for rank in range(12)] == [str(rank) for rank in range(12)]
