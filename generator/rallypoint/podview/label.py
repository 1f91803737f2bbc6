"""Labels and annotations of objects and pods."""

from __future__ import annotations

from rallypoint.spec import Job
from rallypoint.topology import NODE_INDEX_LABELS, OWNER_LABEL

NO_MESH = {"sidecar.istio.io/inject": "false"}
"""A service mesh breaks the connections between ranks, and its sidecar keeps a Job from ending.

Istio reads the label, older releases the annotation.
"""


def labels(job: Job) -> dict[str, str]:
    """Of every object and pod; the job's own may take the place of the first four."""
    return {
        "app.kubernetes.io/name": "rallypoint",
        "app.kubernetes.io/instance": job.name,
        "app.kubernetes.io/component": "training",
        "app.kubernetes.io/managed-by": "rallypoint",
        **job.labels,
        **selector(job),
    }


def selector(job: Job) -> dict[str, str]:
    """Finds every pod of the job. Never managed-by, which helm overwrites."""
    return {OWNER_LABEL: job.name}


def endpoint_selector(job: Job) -> dict[str, str]:
    """Finds node 0 alone."""
    return {**selector(job), NODE_INDEX_LABELS[job.kind]: "0"}


def queue_labels(job: Job) -> dict[str, str]:
    """Kueue's, for the workload alone. Source: Kueue 0.17 docs, "Run Jobs"."""
    named = {
        "kueue.x-k8s.io/queue-name": job.scheduling.queue,
        "kueue.x-k8s.io/priority-class": job.scheduling.queue_priority,
    }
    return {label: value for label, value in named.items() if value is not None}
