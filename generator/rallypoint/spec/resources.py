"""`resources`: what every pod asks for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag

from rallypoint.spec.base import Model, QualifiedName, Quantity, by_shape


class Resources(Model):
    """Per node. Requests and limits are the same."""

    gpus: int = Field(0, ge=0, le=64)
    """GPUs of each node; 0 trains on the CPU with gloo."""
    gpu_resource: QualifiedName = "nvidia.com/gpu"
    """The device plugin's name of a GPU, as nvidia.com/mig-1g.10gb, amd.com/gpu or habana.ai/gaudi."""
    cpu: Quantity | None = None
    """CPU cores, as 96 or 500m; OMP_NUM_THREADS is cpu / nproc_per_node, rounded down, 1 when left out."""
    memory: Quantity | None = None
    """Memory, as 900Gi."""
    shm: (
        Annotated[
            Annotated[Literal[False], Tag("<false>")] | Annotated[Quantity, Tag("<text>")],
            by_shape("<text>", "<false>"),
        ]
        | None
    ) = None
    """Size of the memory-backed /dev/shm, which counts as memory. Left out: half of `memory`. false: none."""
    ephemeral_storage: Quantity | None = None
    """Local disk of the node for logs, caches and emptyDir volumes."""
    extra: dict[QualifiedName, Quantity] = {}
    """Any other device resource by its name, as {vpc.amazonaws.com/efa: 4}."""
