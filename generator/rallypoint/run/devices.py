"""The GPUs of this machine, and which node gets which.

Two ranks never share a GPU. Refuses to import torch into this process: what is here is asked of nvidia-smi,
or of a process of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping

from rallypoint.errors import InputError
from rallypoint.spec import Job

VISIBLE = "CUDA_VISIBLE_DEVICES"
_ASK_SECONDS = 60  # a cold driver takes its time
_COUNT = "import torch; print(torch.cuda.device_count())"


def visible_devices(job: Job, environment: Mapping[str, str]) -> list[str]:
    """CUDA_VISIBLE_DEVICES of each node: disjoint shares in order; empty text for a CPU job.

    Raises: InputError with the `--set` that would fit, when there are too few.
    """
    wanted = job.resources.gpus
    if wanted == 0:
        return [""] * job.nodes
    found = devices(environment)
    if len(found) < wanted * job.nodes:
        raise InputError(_too_few(job, len(found)))
    return [",".join(found[node * wanted : (node + 1) * wanted]) for node in range(job.nodes)]


def devices(environment: Mapping[str, str]) -> list[str]:
    """The GPUs that this shell may use, as CUDA_VISIBLE_DEVICES names them."""
    if VISIBLE in environment:
        # CUDA stops at the first entry that is no device, as the customary -1
        names = [name.strip() for name in environment[VISIBLE].split(",")]
        return names[: names.index("-1")] if "-1" in names else [name for name in names if name]
    listing = _output("nvidia-smi", "-L")
    if listing is not None:
        return re.findall(r"UUID: (MIG-[^)]+)\)", listing) or re.findall(
            r"^GPU (\d+):", listing, re.MULTILINE
        )
    count = _output(sys.executable, "-c", _COUNT)  # another vendor's GPUs, or a driver without its tools
    return [str(index) for index in range(int(count))] if count and count.strip().isdigit() else []


def _output(*command: str) -> str | None:
    """What `command` prints; None when it is not there or fails."""
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=_ASK_SECONDS,
            stdin=subprocess.DEVNULL,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def _too_few(job: Job, found: int) -> str:
    """The message for a machine with fewer GPUs than the job asks for."""
    nodes = f"{job.nodes} nodes x " if job.nodes > 1 else ""
    here = f"this machine has {found}" if found else "this machine has none"
    if VISIBLE in os.environ:
        here += f" in {VISIBLE}"
    what = f"{nodes}{job.resources.gpus} = {job.nodes * job.resources.gpus} GPUs" if nodes else (
        f"{job.resources.gpus} GPUs")  # fmt: skip
    return (
        f"resources.gpus: too few GPUs for {what} ({here}); this would fit: {' '.join(_fitting(job, found))}"
    )


def _fitting(job: Job, found: int) -> list[str]:
    """The --set options with which the job fits on `found` GPUs; on the CPU when there is none."""
    nodes = min(job.nodes, found) or job.nodes
    gpus = found // nodes
    values = {"nodes": nodes} if nodes != job.nodes else {}
    values["resources.gpus"] = gpus
    if job.nproc_per_node is not None and gpus and job.nproc_per_node != gpus:
        values["nproc_per_node"] = gpus
    return [f"--set {key}={value}" for key, value in values.items()]
