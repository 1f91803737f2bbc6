"""The training container's resources."""

from __future__ import annotations

from rallypoint.spec import Job


def resources(job: Job) -> dict[str, dict[str, str]]:
    """`requests` and `limits`, the same: devices must be, and the rest gives a pod cores of its own."""
    asked, rdma = job.resources, job.network.rdma
    named = {
        "cpu": asked.cpu,
        "memory": asked.memory,
        "ephemeral-storage": asked.ephemeral_storage,
        asked.gpu_resource: str(asked.gpus) if asked.gpus else None,
        **({rdma.resource: str(rdma.count)} if rdma is not None else {}),
        **asked.extra,
    }
    amounts = {name: amount for name, amount in named.items() if amount is not None}
    return {"requests": amounts, "limits": dict(amounts)} if amounts else {}
