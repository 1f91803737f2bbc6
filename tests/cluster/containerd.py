"""containerd with a socket, state and configuration of our own, beside any that the machine has."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .images import PAUSE_IMAGE
from .network import CNI_CONFIG
from .packages import CNI_PLUGINS
from .places import CONFIG, CONTAINERD_SOCKET, RUN, cache
from .processes import Program, last_words, start
from .progress import ClusterError, wait_until

REGISTRY = "127.0.0.1:5000"
"""Images under this name are pulled over plain HTTP, from a registry that the tests start."""


def config() -> str:
    """containerd's config.toml (version 2: containerd 1.4 to 2.x)."""
    return f"""\
version = 2
root = "{cache() / "containerd"}" # images outlive `down`
state = "{RUN / "containerd"}"
disabled_plugins = ["io.containerd.internal.v1.opt"] # would make /opt/containerd
[grpc]
  address = "{CONTAINERD_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  netns_mounts_under_state_dir = true
  # without CAP_SYS_RESOURCE runc cannot lower oom_score_adj to -998, and fails with
  # "can't get final child's PID from pipe: EOF"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{CNI_PLUGINS}"
    conf_dir = "{CNI_CONFIG}"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "{CONFIG / "registries"}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      Root = "{RUN / "runc"}"
"""


def program() -> Program:
    return Program("containerd", ["containerd", "--config", str(CONFIG / "containerd.toml")])


def start_containerd() -> None:
    """Returns when containerd answers; the registry's plain HTTP is allowed."""
    (cache() / "containerd").mkdir(parents=True, exist_ok=True)
    registry = CONFIG / "registries" / REGISTRY / "hosts.toml"
    registry.parent.mkdir(parents=True, exist_ok=True)
    registry.write_text(f'server = "http://{REGISTRY}"\n')
    (CONFIG / "containerd.toml").write_text(config())
    start(program())
    try:
        wait_until("containerd", lambda: ctr("version").returncode == 0, 30)
    except ClusterError as error:
        raise ClusterError(f"{error}\n{last_words('containerd')}") from error


def ctr(*arguments: str) -> subprocess.CompletedProcess[str]:
    """containerd's own client, in the namespace where the kubelet's images and containers are."""
    command = ["ctr", "--address", str(CONTAINERD_SOCKET), "--namespace", "k8s.io"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True)


def forget_containers() -> None:
    """Ends every container and removes it with its shim and its writable layer; images stay."""
    tasks = ctr("tasks", "list", "--quiet").stdout.split()
    for task in tasks:
        ctr("tasks", "kill", "--all", "--signal", "SIGKILL", task)
    if tasks:
        ctr("tasks", "delete", "--force", *tasks)
    containers = ctr("containers", "list", "--quiet").stdout.split()
    if containers:
        ctr("containers", "delete", *containers)


def image_names() -> set[str]:
    return set(ctr("images", "list", "--quiet").stdout.split())


def import_image(archive: Path) -> None:
    result = ctr("images", "import", str(archive))
    if result.returncode != 0:
        raise ClusterError(f"image {archive.name}: {result.stderr.strip()}")
