"""Which samples the ranks have really been given, over whole runs."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest


def given(folder: Path) -> dict[int, list[list[list[int]]]]:
    """By epoch and rank: the rows of each step."""
    result = defaultdict(list)
    for path in sorted(folder.glob("rank-*.jsonl")):
        by_epoch = defaultdict(list)
        for line in map(json.loads, path.read_text().splitlines()):
            by_epoch[line["epoch"]].append(line["rows"])
        for epoch, steps in by_epoch.items():
            result[epoch].append(steps)
    return dict(result)


STRATEGIES = ["group_by_length", "batch_rebalance", pytest.param("random", marks=pytest.mark.slow)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_epoch_is_the_data_set_each_sample_once(make_job, tmp_path, strategy):
    job = make_job(3, num_train_epochs=3, max_steps=-1, train_sampling_strategy=strategy)
    job.environment["RALLYPOINT_SAMPLE_LOG"] = str(tmp_path)
    assert job.run().codes == [0, 0, 0]
    epochs = {
        epoch: sorted(row for rank in ranks for step in rank for row in step)
        for epoch, ranks in given(tmp_path).items()
    }
    assert epochs == {epoch: list(range(100)) for epoch in range(3)}
