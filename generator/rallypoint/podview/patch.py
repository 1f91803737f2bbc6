"""What patches may not touch."""

from __future__ import annotations

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


def owned_keys(job: Job) -> list[str]:
    """A message for each key of a patch that a run relies on."""
    patches = [
        ("pod_patch", job.pod_patch, POD_OWNED),
        ("container_patch", job.container_patch, CONTAINER_OWNED),
    ]
    return [
        f"{field}.{key}: may not be patched; {owned[key]}"
        for field, patch, owned in patches
        for key in patch
        if key in owned
    ]
