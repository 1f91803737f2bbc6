"""The training container's environment variables."""

from __future__ import annotations

from typing import Any

from rallypoint.podview.storage import CACHE_MOUNT, SCRATCH_MOUNT
from rallypoint.quantity import quantity
from rallypoint.spec import ConfigMapKey, Job, PodField, SecretKey
from rallypoint.spec.env import EnvFrom, EnvValue
from rallypoint.topology import NODE_INDEX_ENV, NODE_INDEX_LABELS

WRITABLE = {
    "HOME": SCRATCH_MOUNT,
    "USER": "rallypoint",  # getpass fails for a user id without a line in the image's passwd
    "LOGNAME": "rallypoint",
    "HF_HOME": f"{SCRATCH_MOUNT}/huggingface",
    "HF_DATASETS_CACHE": f"{SCRATCH_MOUNT}/datasets",
    "XDG_CACHE_HOME": f"{SCRATCH_MOUNT}/cache",
    "TRITON_CACHE_DIR": f"{SCRATCH_MOUNT}/triton",
    "TORCHINDUCTOR_CACHE_DIR": f"{SCRATCH_MOUNT}/inductor",
    "MPLCONFIGDIR": f"{SCRATCH_MOUNT}/matplotlib",
}
"""What libraries write lies on the pod's own volume: the root is read-only, and any user id may run."""

DEBUG = {
    "NCCL_DEBUG": "INFO",
    "TORCH_CPP_LOG_LEVEL": "INFO",
    "TORCH_DISTRIBUTED_DEBUG": "DETAIL",
    "TORCH_SHOW_CPP_STACKTRACES": "1",
    "TORCH_NCCL_TRACE_BUFFER_SIZE": "2000",
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
    "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": f"{SCRATCH_MOUNT}/nccl_trace_rank_",
}
"""Source: PyTorch docs 2.8, "Debugging torch.distributed" and "Flight Recorder"."""


def threads(job: Job) -> int:
    """OMP_NUM_THREADS, cpu / nproc rounded down and at least 1: libgomp does not see a container's limit."""
    cores = quantity(job.resources.cpu) if job.resources.cpu is not None else 0
    return max(1, int(cores // job.nproc))


def environment(job: Job) -> list[dict[str, Any]]:
    """The `env` list: the node index, then our defaults with the job's own values in their place."""
    label = NODE_INDEX_LABELS[job.kind]
    own = [{"name": NODE_INDEX_ENV, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{label}']"}}}]
    values: dict[str, EnvValue] = {**_defaults(job), **job.env}
    return own + [{"name": name, **_value(value)} for name, value in values.items()]


def _defaults(job: Job) -> dict[str, str]:
    """What a job may override by name."""
    found = {"OMP_NUM_THREADS": str(threads(job)), **WRITABLE}
    if job.cache is not None:
        found["HF_HUB_CACHE"] = f"{CACHE_MOUNT}/hub"
    if job.network.rdma is not None:
        found["NCCL_IB_DISABLE"] = "0"
    if job.network.interface is not None:
        found |= dict.fromkeys(("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"), job.network.interface)
    return found | DEBUG if job.debug else found


def _value(value: EnvValue) -> dict[str, Any]:
    """One value as Kubernetes spells it."""
    if isinstance(value, SecretKey):
        return {"valueFrom": {"secretKeyRef": {"name": value.secret, "key": value.key}}}
    if isinstance(value, ConfigMapKey):
        return {"valueFrom": {"configMapKeyRef": {"name": value.config_map, "key": value.key}}}
    if isinstance(value, PodField):
        return {"valueFrom": {"fieldRef": {"fieldPath": value.field}}}
    return {"value": unexpanded(value)}


def unexpanded(text: str) -> str:
    """`text` as it must be written so that Kubernetes' `$(NAME)` expansion gives it back unchanged.

    Source: Kubernetes API 1.34, EnvVar.value: `$$` stands for one `$`.
    """
    return text.replace("$", "$$")


def environment_sources(sources: list[EnvFrom]) -> list[dict[str, Any]]:
    """The `envFrom` list."""
    return [
        {
            **({"prefix": source.prefix} if source.prefix else {}),
            **({"secretRef": {"name": source.secret}} if source.secret else {}),
            **({"configMapRef": {"name": source.config_map}} if source.config_map else {}),
        }
        for source in sources
    ]
