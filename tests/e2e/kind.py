"""What the tests know of each kind: how its end shows, and which label carries the node index."""

from __future__ import annotations

from dataclasses import dataclass

INDEX_OF_JOB = "batch.kubernetes.io/job-completion-index"


@dataclass(frozen=True)
class Kind:
    name: str
    resource: str
    done: str | None
    """The condition of a finished run; None where only the output's marker tells."""
    failed: str | None
    index_label: str = INDEX_OF_JOB


KINDS = [
    Kind("job", "jobs.batch", "Complete", "Failed"),
    Kind("jobset", "jobsets.jobset.x-k8s.io", "Completed", "Failed"),
    Kind("trainjob", "trainjobs.trainer.kubeflow.org", "Complete", "Failed"),
    Kind(
        "pytorchjob", "pytorchjobs.kubeflow.org", "Succeeded", "Failed", "training.kubeflow.org/replica-index"
    ),
    Kind("statefulset", "statefulsets.apps", None, None, "apps.kubernetes.io/pod-index"),
]

BY_NAME = {kind.name: kind for kind in KINDS}
