"""The command line of a training process, and the check that the script is the one that the job was made
with.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from job import BadContractError, Job

HERE = Path(__file__).resolve().parent
INLINE = "inline.py"
OUR_OWN = [sys.executable, "-u", "-P"]
"""Starts the trainer with a safe path: a `datasets.py` in the job's folder must not hide the library."""


def script_file(job: Job, name: str) -> Path:
    """Where a shipped file lies: an inline script beside the contract, the others under the workdir."""
    if name == INLINE and job.script is not None and job.script.get("inline"):
        return Path(job.contract).parent / "script" / INLINE
    return Path(job.workdir) / name


def command(job: Job) -> list[str]:
    """What every process of the job runs; the arguments go there word for word."""
    if job.script is None:
        return [*OUR_OWN, "-m", "rallypoint_trainer", job.contract]
    return wrapped_command(job)


def wrapped_command(job: Job) -> list[str]:
    """The same, always by way of program.py, which under torch's agent looks whether the rank is the
    node's.
    """
    if job.script is None:
        return [*OUR_OWN, str(HERE / "program.py"), "-m", "rallypoint_trainer", job.contract]
    wrapper = [sys.executable, "-u", str(HERE / "program.py")]
    arguments = [str(argument) for argument in job.script.get("args") or []]
    if job.script.get("module"):
        return [*wrapper, "-m", str(job.script["module"]), *arguments]
    name = INLINE if job.script.get("inline") else job.script["file"]
    return [*wrapper, str(script_file(job, name)), *arguments]


def check_files(job: Job) -> None:
    """Looks whether the workdir and the script's files are there, and are what the job was made with.

    Raises: BadContractError, which names the file.
    """
    if not os.path.isdir(job.workdir):  # noqa: PTH112
        raise BadContractError(f"workdir: there is no folder {job.workdir}; the image must have it")
    if job.script and job.script.get("file"):
        path = script_file(job, job.script["file"])
        if not path.is_file():
            raise BadContractError(f"script.file: there is no file {path}; put it into the image or ship it")
    for name, digest in job.files.items():
        path = script_file(job, name)
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            why = error.strerror or error
            raise BadContractError(f"script: {path} cannot be read ({why}); ship it with the job") from error
        if found != digest:
            raise BadContractError(f"script: {path} has changed since the job was made; start the job again")
