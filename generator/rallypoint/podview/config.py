"""What the pods read: the contract, the launcher and the scripts, as the data of one ConfigMap."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from posixpath import basename, normpath
from typing import Any

from rallypoint.canonical import canonical
from rallypoint.contract import POD_OUTPUT, POD_WORKDIR, Place, contract, contract_text
from rallypoint.spec import Job
from rallypoint.spec.script import INLINE
from rallypoint.topology import files_map_name, rendezvous_endpoint

CONFIG_MOUNT = "/etc/rallypoint"
CONTRACT = "contract.json"
LAUNCHER = Path(__file__).parents[1] / "launcher"


@cache
def launcher_files() -> dict[str, str]:
    """The launcher's files by name: read as data, never imported."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(LAUNCHER.glob("*.py"))}


def pod_contract(job: Job, scripts: Mapping[str, str]) -> dict[str, Any]:
    """The contract as it stands in a pod."""
    place = Place(
        endpoint=rendezvous_endpoint(job),
        output=f"{POD_OUTPUT}/{job.name}" if job.output is not None else None,
        workdir=POD_WORKDIR,
        idle_when_done=job.kind == "statefulset",
    )
    return contract(job, place, dict(scripts))


def files_name(job: Job, scripts: Mapping[str, str]) -> str:
    """Name of the ConfigMap that the pods mount: another one for another contract or launcher.

    The contract holds the scripts' digests; in one spelling, because the chart has another layout.
    """
    launcher = "".join(f"\n{name} {_sha256(text)}" for name, text in launcher_files().items())
    return files_map_name(job, _sha256(canonical(pod_contract(job, scripts)) + launcher)[:8])


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def config_data(job: Job, scripts: Mapping[str, str]) -> dict[str, str]:
    """The contract alone, which says by digests what the scripts are."""
    return {CONTRACT: contract_text(pod_contract(job, scripts))}


def files_data(job: Job, scripts: Mapping[str, str]) -> dict[str, str]:
    """Every file's text by its key in the ConfigMap."""
    launcher = {f"launcher.{name}": text for name, text in launcher_files().items()}
    shipped = {key: scripts[path] for path, key in script_keys(scripts).items()}
    return {**config_data(job, scripts), **launcher, **shipped}


def files_items(job: Job, scripts: Mapping[str, str]) -> list[dict[str, str]]:
    """Where each key of the ConfigMap lies below its mount."""
    launcher = [{"key": f"launcher.{name}", "path": f"launcher/{name}"} for name in launcher_files()]
    shipped = [{"key": key, "path": script_place(job, path)} for path, key in script_keys(scripts).items()]
    return [{"key": CONTRACT, "path": CONTRACT}, *launcher, *shipped]


def script_keys(scripts: Mapping[str, str]) -> dict[str, str]:
    """Each script's key in the ConfigMap: numbered, because `a/b.py` and `a.b.py` may both be there."""
    return {
        path: f"script.{number}.{re.sub(r'[^-._A-Za-z0-9]', '_', basename(path))[-200:]}"
        for number, path in enumerate(sorted(scripts))
    }


def is_inline(job: Job, path: str) -> bool:
    """Whether `path` is the inline program, which lies beside the contract."""
    return path == INLINE and job.script is not None and job.script.inline is not None


def script_place(job: Job, path: str) -> str:
    """Path of a script below the ConfigMap's mount."""
    return f"script/{INLINE}" if is_inline(job, path) else f"workspace/{normpath(path)}"


def script_mounts(job: Job, scripts: Mapping[str, str]) -> list[dict[str, Any]]:
    """A mount for each shipped file, so that a path relative to the job file means the same in the pod."""
    return [
        {
            "name": "config",
            "mountPath": f"{POD_WORKDIR}/{normpath(path)}",
            "subPath": script_place(job, path),
            "readOnly": True,
        }
        for path in sorted(scripts)
        if not is_inline(job, path)
    ]
