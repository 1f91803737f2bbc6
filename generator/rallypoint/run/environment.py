"""The environment of each local node: this shell's, then the job's `env`, then the devices.

What comes from a Secret or ConfigMap on a cluster comes from the local variable of the same name here.
"""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Mapping

from rallypoint.errors import InputError, Problem, SpecError
from rallypoint.run.devices import VISIBLE, visible_devices
from rallypoint.spec import ConfigMapKey, Job, PodField, SecretKey

THREADS = "OMP_NUM_THREADS"
_LOOPBACK = "lo0" if platform.system() == "Darwin" else "lo"
_OTHERS_RUN = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "RALLYPOINT_LAUNCHER")
"""Left over in a shell that is itself part of a run; the launcher sets its own."""


def node_environments(job: Job, here: Mapping[str, str]) -> list[dict[str, str]]:
    """The environment of each node's launcher, in node order.

    Raises: SpecError with every variable that must be set here first; InputError for too few GPUs.
    """
    _require_local_values(job, here)
    shares = visible_devices(job, here)
    kept = {key: value for key, value in here.items() if key not in _OTHERS_RUN}
    common = {THREADS: str(threads(job)), "GLOO_SOCKET_IFNAME": _LOOPBACK, "PYTHONUNBUFFERED": "1", **kept}
    return [
        {**common, **_declared(job, node, here), VISIBLE: share, "RALLYPOINT_NODE_INDEX": str(node)}
        for node, share in enumerate(shares)
    ]


def threads(job: Job) -> int:
    """Cores of this machine for each process: cores / (nodes * nproc), 1 at least.

    Ranks that compete for cores run several times slower than with one thread each.
    """
    return max(1, cores() // job.world_size)


def cores() -> int:
    """CPU cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def environment_notices(job: Job) -> list[str]:
    """What of `env` and `env_from` is otherwise here than on a cluster."""
    sources = [source.secret or source.config_map for source in job.env_from]
    notices = [f"env_from: {name!r} is not read here; export what the program needs" for name in sources]
    for name, value in job.env.items():
        if isinstance(value, PodField):
            local = _field(job, 0, value.field)
            what = f"is {local!r} here" if local is not None else "is left out here"
            notices.append(f"env.{name}: the pod's {value.field} {what}")
    return notices


def _require_local_values(job: Job, here: Mapping[str, str]) -> None:
    """Nothing, when all that a cluster would take from its objects is set here.

    Raises: SpecError naming every variable that is not.
    """
    problems = [
        Problem("", 0, f"env.{name}", f"comes from {_origin(value)} on a cluster and from {name} here, "
                f"which is not set; export {name}=...")
        for name, value in job.env.items()
        if isinstance(value, SecretKey | ConfigMapKey) and name not in here
    ]  # fmt: skip
    if problems:
        raise SpecError(problems)


def _origin(value: SecretKey | ConfigMapKey) -> str:
    """The object that holds a value on a cluster."""
    if isinstance(value, SecretKey):
        return f"Secret {value.secret!r}"
    return f"ConfigMap {value.config_map!r}"


def _declared(job: Job, node: int, here: Mapping[str, str]) -> dict[str, str]:
    """The job's `env` for one node: text as it is written, the rest from this shell or made up."""
    found: dict[str, str] = {}
    for name, value in job.env.items():
        local = value if isinstance(value, str) else here.get(name)
        if isinstance(value, PodField):
            local = _field(job, node, value.field)
        if local is not None:
            found[name] = local
    return found


def _field(job: Job, node: int, field: str) -> str | None:
    """What stands here for a field of the pod; None where nothing would be plausible."""
    return {
        "metadata.name": f"{job.name}-{node}",
        "metadata.namespace": job.namespace or "default",
        "spec.nodeName": socket.gethostname(),
        "status.podIP": "127.0.0.1",
        "status.hostIP": "127.0.0.1",
    }.get(field)


def require_text(environment: Mapping[str, str]) -> None:
    """Raises: InputError for a value that no process can be given, as one with a null byte."""
    for name, value in environment.items():
        if "\0" in value:
            raise InputError(f"env.{name}: holds a null byte, which no environment can carry; remove it")
