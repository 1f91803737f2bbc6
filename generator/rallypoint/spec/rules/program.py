"""What runs, under which name, on which kind, and with how many processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import normpath

from rallypoint.quantity import quantity, seconds
from rallypoint.spec.job import KINDS, Job
from rallypoint.spec.kinds import LACKS, having, longest_derived, longest_name
from rallypoint.spec.rules.violation import Violation
from rallypoint.spec.script import INLINE
from rallypoint.spec.training import broken, mapped

SMALLEST_MEMORY = 2**20
SHORTEST_GRACE_SECONDS = 30
"""torchrun's own shutdown time-out, within which a checkpoint must be saved."""

LONGEST_TTL_SECONDS = 2**31 - 1
"""ttlSecondsAfterFinished is an int32. Source: Kubernetes 1.34, batch/v1, JobSpec."""


def one_program(job: Job) -> Iterator[Violation]:
    """Exactly one of train and script."""
    if (job.train is None) == (job.script is None):
        found = "neither" if job.train is None else "both"
        text = f"exactly one of train and script says what runs (got {found}); " + (
            "add one" if job.train is None else "remove one"
        )
        key = () if job.train is None else ("script",)
        yield Violation(key, text, (("train",), ("script",)))


def name_fits(job: Job) -> Iterator[Violation]:
    """The longest derived name has at most 63 letters."""
    longest = longest_name(job.kind, job.nodes)
    if len(job.name) > longest:
        derived = longest_derived(job.name, job.kind, job.nodes)
        text = (
            f"has {len(job.name)} letters, but a {KINDS[job.kind]} with {job.nodes} nodes bears {longest}, "
            f"because {derived} must fit 63; shorten it"
        )
        yield Violation(("name",), text, (("kind",), ("nodes",)))


def kind_has_it(job: Job) -> Iterator[Violation]:
    """Fields that this kind lacks are not given."""
    for field, kinds in LACKS.items():
        value = getattr(job, field)
        if value and job.kind in kinds:
            others = ", ".join(KINDS[kind] for kind in having(field))
            shown = "true" if value is True else repr(value)
            reason = f"kind {KINDS[job.kind]} does not have it (got {shown}): {kinds[job.kind]}"
            text = f"{reason}; kinds that do: {others}"
            yield Violation((field,), text, (("kind",),))


def processes_have_devices(job: Job) -> Iterator[Violation]:
    """No two processes of a node share a GPU."""
    gpus = job.resources.gpus
    if job.nproc_per_node is not None and 0 < gpus < job.nproc_per_node:
        both = f"{job.nproc_per_node} processes, {gpus} GPUs"
        text = f"must be at most resources.gpus (got {both}); change one of them"
        yield Violation(("nproc_per_node",), text, (("resources", "gpus"),))


def shm_fits(job: Job) -> Iterator[Violation]:
    """Shared memory counts as memory."""
    shm, memory = job.resources.shm, job.resources.memory
    if shm and memory is not None and quantity(shm) > quantity(memory):
        text = f"must be at most resources.memory, as which it counts (got {shm} and {memory}); change one"
        yield Violation(("resources", "shm"), text, (("resources", "memory"),))


def memory_has_its_unit(job: Job) -> Iterator[Violation]:
    """A number without a unit counts bytes, in which no program fits."""
    memory = job.resources.memory
    if memory is not None and quantity(memory) < SMALLEST_MEMORY:
        text = f"must be 1Mi or more, a number alone counts bytes (got {memory}); add a unit, as in 16Gi"
        yield Violation(("resources", "memory"), text)


def devices_are_given_once(job: Job) -> Iterator[Violation]:
    """A resource with a field of its own is not in `extra` too."""
    own = {
        job.resources.gpu_resource: "resources.gpus",
        "cpu": "resources.cpu",
        "memory": "resources.memory",
        "ephemeral-storage": "resources.ephemeral_storage",
    }
    if job.network.rdma is not None:
        own[job.network.rdma.resource] = "network.rdma"
    for name, size in job.resources.extra.items():
        if name in own:
            text = f"has a field of its own (got {size}); set {own[name]} instead"
            yield Violation(
                ("resources", "extra", name), text, (("resources", "gpu_resource"), ("network", "rdma"))
            )


def devices_are_whole(job: Job) -> Iterator[Violation]:
    """A device cannot be split. Source: Kubernetes docs 1.34, "Resource management", extended resources."""
    for name, size in job.resources.extra.items():
        if "/" in name and quantity(size) % 1:
            text = f"must be a whole number (got {size}); devices cannot be split"
            yield Violation(("resources", "extra", name), text)


def grace_is_enough(job: Job) -> Iterator[Violation]:
    """A pod that is stopped can save."""
    if seconds(job.grace_period) < SHORTEST_GRACE_SECONDS:
        why = "so that a checkpoint can be saved"
        text = f"must be {SHORTEST_GRACE_SECONDS}s or more, {why} (got {job.grace_period!r})"
        yield Violation(("grace_period",), text)


def ttl_fits(job: Job) -> Iterator[Violation]:
    """Kubernetes counts it in 32 bits."""
    if job.ttl is not None and seconds(job.ttl) > LONGEST_TTL_SECONDS:
        text = f"must be {LONGEST_TTL_SECONDS}s (24855d) or less, as Kubernetes counts it (got {job.ttl!r})"
        yield Violation(("ttl",), text)


def shipped_files_differ(job: Job) -> Iterator[Violation]:
    """Two paths in `script.files` are two files, and none is another's folder."""
    if job.script is None:
        return
    file = job.script.file
    seen = {normpath(file): file} if file is not None and not file.startswith("/") else {}
    if job.script.inline is not None:
        seen[INLINE] = "script.inline"
    for path in sorted(job.script.files):
        first = seen.setdefault(normpath(path), path)
        index = path if isinstance(job.script.files, dict) else job.script.files.index(path)
        if first != path:
            text = f"is the same file as {first!r} (got {path!r}); keep one"
            yield Violation(("script", "files", index), text, (("script", "file"),))
        for folder in PurePosixPath(normpath(path)).parents:
            if str(folder) in seen:
                text = f"lies below {seen[str(folder)]!r}, which is a file (got {path!r}); rename one"
                yield Violation(("script", "files", index), text, (("script", "file"),))


def training_args_are_sound(job: Job) -> Iterator[Violation]:
    """The arguments are those of the pinned transformers, and agree with each other."""
    if job.train is None:
        return
    here = ("train", "training_args")
    arguments = mapped(job.train.training_args)
    for name, text in arguments.problems:
        yield Violation((*here, name), text)
    for name, text, about in broken(arguments.arguments):
        key = (
            name
            if name in job.train.training_args
            else next((other for other in about if other in job.train.training_args), name)
        )
        yield Violation((*here, key), text, tuple((*here, other) for other in about))


RULES = (
    one_program,
    name_fits,
    kind_has_it,
    processes_have_devices,
    shm_fits,
    memory_has_its_unit,
    devices_are_given_once,
    devices_are_whole,
    grace_is_enough,
    ttl_fits,
    shipped_files_differ,
    training_args_are_sound,
)
