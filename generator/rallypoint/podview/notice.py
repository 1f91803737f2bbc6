"""What a job asks for beyond Pod Security level `restricted`: one line each, with the level it needs."""

from __future__ import annotations

from rallypoint.podview.claim import storages
from rallypoint.podview.rights import capabilities
from rallypoint.spec import Job

BASELINE_CAPABILITIES = frozenset({
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
    "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
})  # fmt: skip
"""May be added at level `baseline`. Source: Kubernetes docs 1.34, "Pod Security Standards"."""


def notices(job: Job) -> tuple[str, ...]:
    """A line for each thing that a namespace at level `restricted` would refuse; none for an ordinary job."""
    found = [
        f"{key}.hostPath: needs the Pod Security level privileged"
        for key, storage in storages(job)
        if storage.hostPath is not None
    ]
    if job.network.host_network:
        found.append("network.host_network: needs the Pod Security level privileged")
    if job.network.rdma is not None:
        found.append("network.rdma: needs the Pod Security level privileged (it adds IPC_LOCK)")
    if job.security.privileged:
        found.append("security.privileged: needs the Pod Security level privileged")
    if job.security.user == 0:
        found.append("security.user: user 0 needs the Pod Security level baseline")
    if job.security.capabilities:
        found.append(f"security.capabilities: need the Pod Security level {_capability_level(job)}")
    return tuple(found)


def _capability_level(job: Job) -> str:
    """The lowest level that lets all of the job's capabilities in."""
    names = {name.removeprefix("CAP_") for name in capabilities(job)}
    if names <= {"NET_BIND_SERVICE"}:
        return "restricted"
    return "baseline" if names <= BASELINE_CAPABILITIES else "privileged"
