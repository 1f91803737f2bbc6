"""The pod's and the container's security contexts: level `restricted` unless the job says otherwise.

Source: Kubernetes docs 1.34, "Pod Security Standards".
"""

from __future__ import annotations

from typing import Any

from rallypoint.spec import Job


def capabilities(job: Job) -> list[str]:
    """Capabilities to add, each once: those asked for, and for RDMA the one that lets it pin memory."""
    needed = ["IPC_LOCK"] if job.network.rdma is not None else []
    return list(dict.fromkeys([*needed, *job.security.capabilities]))


def pod_security(job: Job) -> dict[str, Any]:
    """The pod's `securityContext`."""
    user = job.security.user
    group = job.security.fs_group if job.security.fs_group is not None else user
    return {
        **({"runAsNonRoot": True} if user != 0 else {}),
        **({"runAsUser": user} if user is not None else {}),
        # only when the top folder's group differs: a walk over a large output takes minutes
        **({"fsGroup": group, "fsGroupChangePolicy": "OnRootMismatch"} if group is not None else {}),
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def container_security(job: Job) -> dict[str, Any]:
    """The training container's `securityContext`."""
    added = capabilities(job)
    # the API server refuses `allowPrivilegeEscalation: false` beside either of these
    escalates = job.security.privileged or {"SYS_ADMIN", "CAP_SYS_ADMIN"} & set(added)
    return {
        **({} if escalates else {"allowPrivilegeEscalation": False}),
        **({"privileged": True} if job.security.privileged else {}),
        "readOnlyRootFilesystem": job.security.read_only_root,
        "capabilities": {"drop": ["ALL"], **({"add": added} if added else {})},
    }
