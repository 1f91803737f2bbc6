"""A job folder, and runs in it that do not outlive their test."""

import os
import signal

import pytest

from run.local import Run, processes_of, wait_until


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "a job, auf Deutsch \u00fcber \u6f22\u5b57"  # every test runs with spaces and unicode
    path.mkdir()
    yield path
    for process in processes_of(path):
        os.kill(process, signal.SIGKILL)


@pytest.fixture
def job(folder):
    """Write job.yaml and train.py into the folder."""

    def write(program, nodes=2, output=True, more=""):
        (folder / "train.py").write_text(program, encoding="utf-8")
        text = f"name: tiny\nnodes: {nodes}\ngrace_period: 30s\nscript: {{file: train.py}}\n{more}"
        (folder / "job.yaml").write_text(text + ("output: {pvc: any}\n" if output else ""), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def start(folder, tmp_path):
    """Start runs that do not outlive the test, and leave nothing in the machine's temporary folder."""
    runs, temporary = [], tmp_path / "tmp"
    temporary.mkdir()

    def begin(*options, environment=None, prefix=()):
        given = {"TMPDIR": str(temporary), **(environment or {})}
        runs.append(Run(folder, *options, environment=given, prefix=prefix))
        return runs[-1]

    yield begin
    for run in runs:
        if run.process.poll() is None:
            run.process.kill()
            run.process.wait()


@pytest.fixture
def gone(folder):
    """Wait until no process works in the folder."""

    def check(seconds=20):
        wait_until(
            lambda: not processes_of(folder), f"all gone, still there: {processes_of(folder)}", seconds
        )

    return check
