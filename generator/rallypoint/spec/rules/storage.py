"""Claims and mounts: nothing lies over another, and what all nodes need they can all reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from rallypoint.spec.job import KINDS, Job
from rallypoint.spec.rules.violation import Path, Violation
from rallypoint.spec.storage import Storage

OURS = {"/etc/rallypoint": "the contract and the launcher", "/var/cache/rallypoint": "caches"}
"""Paths in the pod that are taken on every job."""
SYSTEM = (
    "/proc",
    "/sys",
    "/dev/pts",
    "/dev/mqueue",
    "/dev/termination-log",
    "/var/run/secrets/kubernetes.io",
)
READ_ONLY = ("configMap", "secret", "projected", "downwardAPI", "image")
"""Volume sources that nobody can write to. Source: Kubernetes docs 1.34, "Volumes"."""
ENDS_WITH_THE_POD = ("emptyDir", "ephemeral")
ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")


def storages(job: Job) -> Iterator[tuple[Path, Storage]]:
    """Every storage of the job with its key."""
    if job.output is not None:
        yield ("output",), job.output
    if job.cache is not None:
        yield ("cache",), job.cache
    for number, volume in enumerate(job.volumes):
        yield ("volumes", number), volume


def mounts_are_free(job: Job) -> Iterator[Violation]:
    """No volume lies over another or over what is ours."""
    taken = {**OURS, "/dev": "the system"}  # below it devices of the machine may lie, as /dev/infiniband
    if job.output is not None:
        taken["/output"] = "output"
    if job.cache is not None:
        taken["/cache"] = "cache"
    if job.script is not None:
        names = [*job.script.files, *([job.script.file] if job.script.file else [])]
        taken |= {
            str(PurePosixPath("/workspace") / name): f"the shipped {name}" for name in names if name[0] != "/"
        }
    about = (("output",), ("cache",), ("script",))
    for number, volume in enumerate(job.volumes):
        key = ("volumes", number, "mount")
        path = str(PurePosixPath("/" + volume.mount.strip("/")))
        if ".." in PurePosixPath(path).parts or path == "/":
            yield Violation(key, f"must be a plain path below / (got {volume.mount!r}); choose another path")
            continue
        owner = taken.get(path) or next(
            (what for ours, what in OURS.items() if path.startswith(ours + "/")), None
        )
        if owner is None and any(path == place or path.startswith(place + "/") for place in SYSTEM):
            owner = "the system"
        if owner is not None:
            yield Violation(key, f"is taken by {owner} (got {volume.mount!r}); choose another path", about)
        taken.setdefault(path, f"volumes[{number}]")


def claims_agree(job: Job) -> Iterator[Violation]:
    """A claim to create is described once."""
    first: dict[str, tuple[Path, Storage]] = {}
    for key, storage in storages(job):
        if storage.pvc is None or storage.size is None:
            continue
        earlier, other = first.setdefault(storage.pvc, (key, storage))
        if (storage.size, storage.storage_class, storage.access_mode) != (
            other.size, other.storage_class, other.access_mode,
        ):  # fmt: skip
            where = ".".join(map(str, earlier))
            text = (
                f"the claim {storage.pvc!r} is described differently in {where} (got {storage.size} and "
                f"{other.size}); give its size in one place"
            )
            yield Violation((*key, "pvc"), text, (earlier,))


def claims_reach_all_nodes(job: Job) -> Iterator[Violation]:
    """A claim of our own can be mounted on every node's machine."""
    for key, storage in storages(job):
        if job.nodes > 1 and storage.size is not None and storage.access_mode in ONE_NODE:
            text = (
                f"{storage.access_mode} can be mounted by one node alone, but nodes is {job.nodes}; "
                "use ReadWriteMany, or nodes: 1"
            )
            yield Violation((*key, "access_mode"), text, (("nodes",),))


def output_is_there(job: Job) -> Iterator[Violation]:
    """A training on a cluster has somewhere to save."""
    if job.output is None and (job.train is not None or job.kind == "statefulset"):
        why = (
            "train saves checkpoints"
            if job.train is not None
            else "kind StatefulSet starts its pods for ever"
        )
        also = (
            " and the mark of a finished run"
            if job.train is not None
            else ", and only a mark there ends the run"
        )
        way_out = f"set a storage that all nodes share, such as {{pvc: {job.name}-output}}"
        text = f"is missing, but {why}{also}; {way_out}"
        yield Violation(("output",), text, (("train",), ("script",), ("kind",), ("name",)))


def output_is_shared(job: Job) -> Iterator[Violation]:
    """All nodes read and write the same output, and it outlives the pod where the kind needs that."""
    if job.output is None:
        return
    source = "pvc" if job.output.pvc is not None else job.output.source[0]
    way_out = "use a pvc that is ReadWriteMany, nfs or csi"
    if source in READ_ONLY or job.output.access_mode == "ReadOnlyMany":
        what = source if source in READ_ONLY else "ReadOnlyMany"
        yield Violation(("output",), f"{what} cannot be written (got {what}); {way_out}")
    elif source in ENDS_WITH_THE_POD and job.nodes > 1:
        text = f"{source} is another folder in every pod, but nodes is {job.nodes}; {way_out}, or nodes: 1"
        yield Violation(("output",), text, (("nodes",),))
    elif source in ENDS_WITH_THE_POD and job.kind == "statefulset":
        kind = f"kind {KINDS[job.kind]} needs a lasting mark of the finished run"
        text = f"{source} ends with the pod, but {kind}; {way_out}"
        yield Violation(("output",), text, (("kind",),))


def cache_is_writable(job: Job) -> Iterator[Violation]:
    """Downloads can be kept."""
    if job.cache is not None and job.cache.pvc is None and job.cache.source[0] in READ_ONLY:
        source = job.cache.source[0]
        yield Violation(
            ("cache",), f"{source} cannot be written (got {source}); use a pvc, hostPath, nfs or csi"
        )


def image_is_there(job: Job) -> Iterator[Violation]:
    """Pods have an image."""
    if job.image is None:
        text = (
            "is missing, but pods need one; set an image that has torch, for train also rallypoint[trainer]"
        )
        yield Violation(("image",), text)


RULES = (mounts_are_free, claims_agree, cache_is_writable)
FOR_CLUSTER = (image_is_there, output_is_there, output_is_shared, claims_reach_all_nodes)
