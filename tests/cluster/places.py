"""Where the cluster keeps its things: what may be kept (cache) and what `down` removes (state, run)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parent / "go"
"""The wrapper modules: one pinned go.mod and go.sum per program."""


def cache() -> Path:
    """The user's cache folder: binaries, manifests and containerd's images, kept by `down`."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rallypoint" / "cluster"


def image_store() -> Path:
    """buildah's images and layers."""
    return cache() / "buildah"


STATE = Path("/var/lib/rallypoint-cluster")
"""Keys, etcd's data, the kubelet's folders, logs. One cluster per machine, hence one fixed place."""

RUN = Path("/run/rallypoint-cluster")
"""Sockets and pid files; short, because a socket's path may have 107 bytes only."""

PROCESSES = RUN / "processes"
LOGS = STATE / "logs"
PKI = STATE / "pki"
CONFIG = STATE / "config"
KUBELET = STATE / "kubelet"
KUBECONFIG = STATE / "kubeconfig"
SCRATCH = STATE / "scratch"
CONTAINERD_SOCKET = RUN / "containerd.sock"

REGISTRY_CONFIG = "rallypoint-registry.yml"
"""Name of the configuration of each registry that the tests start; `down` knows them by it."""

BORROWED = tuple(
    Path(path)
    for path in (
        "/var/lib/cni",  # the CNI library's results
        "/var/lib/kubelet",  # device plugins' socket, whatever --root-dir says
        "/var/log/containers",  # links to the pods' logs
        "/run/containerd/s",  # shim sockets
        "/run/containerd",
        "/usr/libexec/kubernetes",  # flexvolume plugins
        "/var/lib/containers/cache",  # which layers buildah has seen where
        "/var/lib/containers",
    )
)
"""Places that the programs have compiled in; `down` removes those absent before `up`, children first."""


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for a while. What a killed program has left in it goes with `down`."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=SCRATCH)
