"""What the five kinds have, and how long a name each can bear: one table for refusals and the reference page.

Source: Kubernetes 1.34 API; training-operator 1.9, JobSet 0.11, Trainer 2.2, each seen on a real cluster.
"""

from __future__ import annotations

from rallypoint.spec.job import KINDS, KindName

LACKS: dict[str, dict[KindName, str]] = {
    "ttl": {
        "statefulset": "a StatefulSet never finishes, so nothing deletes it",
        "trainjob": "a TrainJob has no time to live",
    },
    "deadline": {
        "statefulset": "a StatefulSet never ends its pods",
        "pytorchjob": "its operator looks at it only when something else changes, so it may pass unseen",
    },
    "suspend": {"statefulset": "a StatefulSet cannot be suspended; use nodes and kubectl scale"},
}
"""Field: the kinds that do not have it, each with the reason. A field that is not here is for all kinds.

Source: kubeflow/trainer issues 3358 (deadline of v1) and 4052 (ttl of TrainJob).
"""

LONGEST_NAME: dict[KindName, int] = {
    "job": 58,  # the Service `<name>-rdzv` has 63
    "statefulset": 52,  # the pods' label `<name>-<hash of 10>` has 63
    "pytorchjob": 54,  # the pod `<name>-worker-<i>` has 63
    "jobset": 48,  # the pod `<name>-node-0-<i>-<5 random>` has 63
    "trainjob": 48,  # as its JobSet
}
"""Letters of a name that still work for up to ten nodes; seen on a real cluster for each kind."""

LONGEST_DERIVED: dict[KindName, str] = {
    "job": "{name}-rdzv",
    "statefulset": "{name}-<10 letters>",
    "pytorchjob": "{name}-worker-{last}",
    "jobset": "{name}-node-0-{last}-<5 letters>",
    "trainjob": "{name}-node-0-{last}-<5 letters>",
}
"""The name that is the first to grow too long; a DNS label has 63 letters."""


def longest_name(kind: KindName, nodes: int) -> int:
    """Letters that a job's name may have: one less per further digit where the longest name has the index."""
    further_digits = len(str(nodes - 1)) - 1
    return LONGEST_NAME[kind] - (further_digits if "{last}" in LONGEST_DERIVED[kind] else 0)


def longest_derived(name: str, kind: KindName, nodes: int) -> str:
    """The longest name that this kind makes of `name`."""
    return LONGEST_DERIVED[kind].format(name=name, last=nodes - 1)


def having(field: str) -> list[KindName]:
    """The kinds that have the field, in our order."""
    return [kind for kind in KINDS if kind not in LACKS.get(field, {})]
