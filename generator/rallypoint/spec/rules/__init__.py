"""The rules between fields: those that always hold, and those that hold on a cluster alone.

Refuses to know files and lines: loading adds them.
"""

from rallypoint.spec.job import Job
from rallypoint.spec.rules import credentials, pod, program, storage
from rallypoint.spec.rules.violation import Violation

__all__ = ["ALWAYS", "FOR_CLUSTER", "Violation", "always", "for_cluster", "on_cluster"]

ALWAYS = (*program.RULES, *storage.RULES, *pod.RULES, *credentials.RULES)
FOR_CLUSTER = storage.FOR_CLUSTER


def always(job: Job) -> list[Violation]:
    """Every rule between fields that `job` breaks, wherever it runs."""
    return [violation for rule in ALWAYS for violation in rule(job)]


def for_cluster(job: Job) -> list[Violation]:
    """Every rule that `job` breaks on a cluster alone: what `run` on this machine does not need."""
    return [violation for rule in FOR_CLUSTER for violation in rule(job)]


def on_cluster(job: Job) -> list[Violation]:
    """Every rule that `job` breaks when it goes to a cluster."""
    return [*always(job), *for_cluster(job)]
