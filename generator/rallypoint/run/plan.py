"""What a run is about to do, in one line, and what of the spec means nothing on this machine."""

from __future__ import annotations

from rallypoint.run.environment import threads
from rallypoint.spec import KINDS, Job, ScriptSpec, TrainSpec

_DEFAULT_BATCH = 8  # transformers.TrainingArguments.per_device_train_batch_size
_CLUSTER_ONLY = (
    "cache", "volumes", "sidecars", "init_containers", "pod_patch", "container_patch", "deadline", "suspend",
)  # fmt: skip
"""Keys with which a program could run differently here than there; not addresses and rights of pods."""


def plan_line(job: Job, output: str | None, cluster: bool = False, queue: str = "") -> str:
    """`mrpc: 3 nodes x 1 process on the CPU, 1 thread each; global batch 24; ... -> output/mrpc`.

    On a cluster the kind and the queue are named, and not the threads of this machine.
    """
    parts = [
        *([f"kind {KINDS[job.kind]}"] if cluster else []),
        _shape(job, cluster),
        *([queue] if queue else []),
    ]
    if job.train is not None:
        parts += [_batch(job.train, job.world_size), f"{_model(job.train)} on {_data(job.train)}"]
    elif job.script is not None:
        parts.append(_program(job.script))
    return f"{job.name}: {'; '.join(parts)}" + (f" -> {output}" if output else "")


def ignored(job: Job) -> list[str]:
    """One notice that names the keys which only a cluster acts on."""
    given = [key for key in _CLUSTER_ONLY if key in job.model_fields_set and getattr(job, key)]
    return [f"only a cluster acts on: {', '.join(given)}"] if given else []


def _shape(job: Job, cluster: bool) -> str:
    nodes = f"{job.nodes} node{'s' * (job.nodes > 1)} x {job.nproc} process{'es' * (job.nproc > 1)}"
    if job.resources.gpus:
        total = job.nodes * job.resources.gpus
        return f"{nodes} on {total} GPU{'s' * (total > 1)}"
    if cluster:
        return f"{nodes} on the CPU"
    each = threads(job)
    return f"{nodes} on the CPU, {each} thread{'s' * (each > 1)} each"


def _batch(train: TrainSpec, world_size: int) -> str:
    """The samples of one step over all processes, and how they come about."""
    size = train.training_args.get("per_device_train_batch_size", _DEFAULT_BATCH)
    steps = train.training_args.get("gradient_accumulation_steps", 1)
    if not isinstance(size, int) or not isinstance(steps, int):
        return "global batch unknown"
    factors = [str(size), *([str(steps)] if steps > 1 else []), str(world_size)]
    return f"global batch {size * steps * world_size} ({' x '.join(factors)})"


def _model(train: TrainSpec) -> str:
    return train.model if isinstance(train.model, str) else train.model.pretrained_model_name_or_path


def _data(train: TrainSpec) -> str:
    """The data set's name, or its training files."""
    data = train.dataset
    files = data.data_files
    if isinstance(files, dict):
        files = files.get(data.train_split_name, next(iter(files.values()), []))
    if isinstance(files, list):
        files = files[0] + (f" and {len(files) - 1} more" if len(files) > 1 else "") if files else None
    return files or " ".join(part for part in (data.path, data.name) if part)


def _program(script: ScriptSpec) -> str:
    if script.module is not None:
        return f"python -m {script.module}"
    return script.file or "the inline script"
