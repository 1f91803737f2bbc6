"""The training container's resources."""

from __future__ import annotations

from rallypoint.errors import InputError
from rallypoint.spec import Job


def resources(job: Job) -> dict[str, dict[str, str]]:
    """`requests` and `limits`, which are the same: devices must be, and the rest gives the pod its own cores.

    Raises: InputError when a device is asked for twice.
    """
    asked = job.resources
    named = [
        ("resources.cpu", "cpu", asked.cpu),
        ("resources.memory", "memory", asked.memory),
        ("resources.ephemeral_storage", "ephemeral-storage", asked.ephemeral_storage),
        ("resources.gpus", asked.gpu_resource, str(asked.gpus) if asked.gpus else None),
        *((f"resources.extra.{name}", name, amount) for name, amount in asked.extra.items()),
    ]
    if job.network.rdma is not None:
        named.append(("network.rdma", job.network.rdma.resource, str(job.network.rdma.count)))
    amounts: dict[str, str] = {}
    for key, name, amount in named:
        if amount is None:
            continue
        if name in amounts:
            raise InputError(f"{key}: {name!r} is asked for twice; give it in one place only")
        amounts[name] = amount
    return {"requests": amounts, "limits": dict(amounts)} if amounts else {}
