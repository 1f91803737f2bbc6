"""The claims that a job creates; they outlive it."""

from __future__ import annotations

from typing import NamedTuple

from rallypoint.spec import Job, Storage


class Claim(NamedTuple):
    """A PersistentVolumeClaim to create."""

    name: str
    size: str
    access_mode: str
    storage_class: str
    """Empty: the cluster's default."""


def claims(job: Job) -> list[Claim]:
    """Every claim with a size, each name once, in the spec's order."""
    found: dict[str, Claim] = {}
    for _, storage in storages(job):
        if storage.pvc is not None and storage.size is not None:
            mode = storage.access_mode or ("ReadWriteOnce" if job.nodes == 1 else "ReadWriteMany")
            claim = Claim(storage.pvc, storage.size, mode, storage.storage_class or "")
            found.setdefault(storage.pvc, claim)
    return list(found.values())


def storages(job: Job) -> list[tuple[str, Storage]]:
    """Every storage of the job with its dotted key."""
    named = [("output", job.output), ("cache", job.cache)]
    volumes = [(f"volumes.{number}", volume) for number, volume in enumerate(job.volumes)]
    return [(key, storage) for key, storage in [*named, *volumes] if storage is not None]
