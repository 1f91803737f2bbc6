"""A folder with a small job file."""

import pytest

from cli.command import JOB


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path
