"""Volumes and mounts of a pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rallypoint.contract import POD_OUTPUT
from rallypoint.podview.config import CONFIG_MOUNT, files_items, files_name, script_mounts
from rallypoint.quantity import quantity
from rallypoint.spec import Job, Storage, Volume

SCRATCH_MOUNT = "/var/cache/rallypoint"
"""The pod's own writable folder. Not /scratch, which is a favourite name for volumes of the user's."""
CACHE_MOUNT = "/cache"
SHM_MOUNT = "/dev/shm"  # noqa: S108 - the path inside the pod
TEMPORARY_MOUNT = "/tmp"  # noqa: S108 - the path inside the pod


def shm_size(job: Job) -> str:
    """Limit of the memory-backed /dev/shm: as given, else half of the memory, else none (empty)."""
    if job.resources.shm:
        return job.resources.shm
    if job.resources.memory is None:
        return ""
    return f"{max(1, int(quantity(job.resources.memory)) // 2 // 2**20)}Mi"


def volumes(job: Job, scripts: Mapping[str, str]) -> list[dict[str, Any]]:
    """The pod's `volumes`."""
    found: list[dict[str, Any]] = [
        {
            "name": "config",
            "configMap": {"name": files_name(job, scripts), "items": files_items(job, scripts)},
        },
        {"name": "scratch", "emptyDir": {}},
    ]
    if SHM_MOUNT in own_mounts(job):
        size = shm_size(job)
        memory = {"medium": "Memory", **({"sizeLimit": size} if size else {})}
        found.append({"name": "shm", "emptyDir": memory})
    if job.output is not None:
        found.append(_volume("output", job.output))
    if job.cache is not None:
        found.append(_volume("cache", job.cache))
    return found + [_volume(f"volume-{number}", volume) for number, volume in enumerate(job.volumes)]


def _volume(name: str, storage: Storage) -> dict[str, Any]:
    key, source = storage.source
    return {"name": name, key: source}


def own_mounts(job: Job) -> dict[str, dict[str, Any]]:
    """Our mounts by path. A volume of the job's own at /tmp or /dev/shm takes the place of ours."""
    taken = {volume.mount.rstrip("/") for volume in job.volumes}
    found: dict[str, dict[str, Any]] = {
        CONFIG_MOUNT: {"name": "config", "readOnly": True},
        SCRATCH_MOUNT: {"name": "scratch"},
    }
    if TEMPORARY_MOUNT not in taken:
        found[TEMPORARY_MOUNT] = {"name": "scratch", "subPath": "tmp"}
    if job.resources.shm is not False and SHM_MOUNT not in taken:
        found[SHM_MOUNT] = {"name": "shm"}
    if job.output is not None:
        found[POD_OUTPUT] = {"name": "output"}
    if job.cache is not None:
        found[CACHE_MOUNT] = {"name": "cache"}
    return found


def mounts(job: Job, scripts: Mapping[str, str]) -> list[dict[str, Any]]:
    """The training container's `volumeMounts`."""
    ours = [{"name": mount["name"], "mountPath": path, **mount} for path, mount in own_mounts(job).items()]
    theirs = [_mount(f"volume-{number}", volume) for number, volume in enumerate(job.volumes)]
    return [*ours, *script_mounts(job, scripts), *theirs]


def _mount(name: str, volume: Volume) -> dict[str, Any]:
    return {
        "name": name,
        "mountPath": volume.mount.rstrip("/"),
        **({"subPath": volume.sub_path} if volume.sub_path is not None else {}),
        **({"readOnly": True} if volume.read_only else {}),
    }
