"""What must be installed here for a job to run, seen without importing any of it."""

from __future__ import annotations

from importlib.util import find_spec

from rallypoint.errors import InputError
from rallypoint.spec import Job

INSTALL = "pip install 'rallypoint[trainer]'"
_TRAINER = ("torch", "transformers", "datasets", "accelerate", "sklearn")


def require_libraries(job: Job) -> None:
    """Raises: InputError when a library is missing that this job cannot start without."""
    missing = [name for name in _needed(job) if find_spec(name) is None]
    if missing:
        what = "train" if job.train is not None else "rendezvous.agent: torchrun"
        raise InputError(f"{what}: needs {', '.join(missing)} here, not installed; run: {INSTALL}")


def _needed(job: Job) -> tuple[str, ...]:
    """Import names of what the job needs before its own program starts; a script brings its own."""
    if job.train is not None:
        return _TRAINER
    return ("torch",) if job.rendezvous.agent == "torchrun" else ()
