"""What this machine lacks for the cluster, in words that a test suite can give as its reason to skip."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .build import MODULES
from .packages import absent_packages
from .places import STATE

GO_NEEDED = (1, 26)
"""The `go` line of the pinned modules."""


def missing() -> list[str]:
    """One line per thing that is missing; empty when `up` can begin. Looks only, changes nothing."""
    if not sys.platform.startswith("linux"):
        return [f"Linux: this is {sys.platform}; use kind or any cluster, and set KUBECONFIG"]
    return [*missing_rights(), *missing_tools(), *missing_kernel(), *foreign_cluster()]


def missing_rights() -> list[str]:
    return [] if os.geteuid() == 0 else [f"root: this is uid {os.geteuid()}; the kubelet and runc need root"]


def missing_tools() -> list[str]:
    """Go, unless everything is built already; apt-get, unless everything is installed already."""
    lines = []
    if not all(module.is_built for module in MODULES):
        found = go_version()
        needed = ".".join(map(str, GO_NEEDED))
        if found is None:
            lines.append(f"Go {needed} or newer: no 'go' on the PATH")
        elif found < GO_NEEDED:
            lines.append(f"Go {needed} or newer: this is {'.'.join(map(str, found))}")
    absent = absent_packages()
    if absent and shutil.which("apt-get") is None:
        lines.append(f"packages: {' '.join(absent)} are absent, and there is no apt-get")
    return lines


def go_version() -> tuple[int, int] | None:
    if shutil.which("go") is None:
        return None
    text = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True).stdout
    found = re.match(r"go(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def missing_kernel() -> list[str]:
    lines = []
    if "overlay" not in Path("/proc/filesystems").read_text().split():
        lines.append("overlayfs: not in /proc/filesystems; containerd's images need it (modprobe overlay)")
    if not any(Path("/sys/fs/cgroup").glob("*")):
        lines.append("cgroups: nothing is mounted at /sys/fs/cgroup")
    return lines


def foreign_cluster() -> list[str]:
    """A Kubernetes that is not ours: its firewall chains have the names that `down` would remove."""
    if STATE.exists() or shutil.which("iptables-save") is None or os.geteuid() != 0:
        return []
    rules = subprocess.run(["iptables-save"], capture_output=True, text=True).stdout
    if ":KUBE-" not in rules:
        return []
    return ["a machine without Kubernetes: firewall chains named KUBE-* are here already, and not ours"]
