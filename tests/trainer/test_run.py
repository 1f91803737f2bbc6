"""A whole run with two ranks."""

from __future__ import annotations

from typing import Any


def test_two_ranks_train_and_write_everything(job: Any) -> None:
    ended = job.run()
    assert ended.codes == [0, 0], ended.stderr
    assert sorted(path.name for path in ended.output.iterdir()) == ["events.jsonl", "metrics.json", "model"]
