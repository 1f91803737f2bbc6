import json

import pytest

from rallypoint.errors import SpecError
from rallypoint.loading import load

SCRIPT_JOB = {"name": "a", "script": {"module": "x"}}
TRAIN_JOB = {
    "name": "a",
    "train": {"task": "text-classification", "model": "m", "dataset": {"path": "d"}},
}


@pytest.fixture
def job_file(tmp_path, monkeypatch):
    """Writes text, bytes or plain values as job.yaml in the current folder; returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(content, name="job.yaml"):
        if isinstance(content, dict):
            content = json.dumps(content)
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        (tmp_path / name).write_bytes(data)
        return name

    return write


@pytest.fixture
def loaded(job_file):
    """What a job file with this content gives."""
    return lambda content, *sets: load([job_file(content)], sets)


@pytest.fixture
def refused(job_file):
    """The problems of a job file with this content, one line each; fails when there are none."""

    def lines(content, *sets):
        with pytest.raises(SpecError) as error:
            load([job_file(content)], sets)
        assert error.value.exit_code == 2
        return str(error.value).splitlines()

    return lines
