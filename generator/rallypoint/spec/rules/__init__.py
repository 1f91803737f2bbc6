"""The rules between fields: those that always hold, and those that hold on a cluster alone.

Refuses to know files and lines: loading adds them.
"""

from rallypoint.spec.job import Job
from rallypoint.spec.rules.violation import Violation

__all__ = ["Violation", "always", "for_cluster"]


def always(job: Job) -> list[Violation]:
    """Every rule between fields that `job` breaks, wherever it runs."""
    del job
    return []


def for_cluster(job: Job) -> list[Violation]:
    """Every rule that `job` breaks on a cluster alone: what `run` on this machine does not need."""
    del job
    return []
