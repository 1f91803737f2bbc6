"""What patches may not touch."""

from __future__ import annotations

from rallypoint.errors import InputError
from rallypoint.spec import Job

POD_OWNED = {
    "containers": "use container_patch, or sidecars",
    "initContainers": "use init_containers",
    "volumes": "use volumes",
    "restartPolicy": "the kind decides it",
    "terminationGracePeriodSeconds": "use grace_period",
}
"""Keys of the pod's spec, each with the way out: a merge patch replaces lists, with all that a run needs."""

CONTAINER_OWNED = {
    "name": "the kind decides it",
    "image": "use image",
    "command": "use script",
    "args": "use script.args",
    "workingDir": "scripts lie there",
    "env": "use env",
    "envFrom": "use env_from",
    "ports": "use rendezvous.port",
    "volumeMounts": "use volumes",
}


def refuse_owned_keys(job: Job) -> None:
    """Raises: InputError when a patch touches what the run relies on; all such keys at once."""
    patches = [
        ("pod_patch", job.pod_patch, POD_OWNED),
        ("container_patch", job.container_patch, CONTAINER_OWNED),
    ]
    found = [
        f"{field}.{key}: may not be patched; {owned[key]}"
        for field, patch, owned in patches
        for key in patch
        if key in owned
    ]
    if found:
        raise InputError("\n".join(found))
