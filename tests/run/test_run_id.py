"""The run's name in the markers: `run` and the launcher must agree, though neither imports the other."""

import job as launcher  # the launcher's flat module
import pytest

from rallypoint.run.output import run_id

CONTRACT = {"name": "tiny", "nodes": 2, "nproc_per_node": 3, "gpus": 0, "endpoint": "127.0.0.1:1"}


@pytest.mark.parametrize(
    "program",
    [
        {"train": {"task": "text-classification", "model": "\u00fc", "dataset": {"path": "x"}}},
        {"script": {"file": "train.py", "args": ["a: b"]}, "files": {"train.py": "0" * 64}},
        {"script": {"module": "m"}, "files": {}},
    ],
)
def test_the_run_id_is_the_launchers(program):
    assert run_id({**CONTRACT, **program}) == launcher.run_id({**CONTRACT, **program})
