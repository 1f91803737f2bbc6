"""Debian packages for what is not a Go module: container runtime, CNI plugins, firewall tools, openssl."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .progress import ClusterError, step

CNI_PLUGINS = Path("/usr/lib/cni")
"""Where Debian and Ubuntu put the CNI plugins."""

PROGRAMS = {
    "containerd": "containerd",
    "ctr": "containerd",
    "runc": "runc",
    "iptables-save": "iptables",
    "nft": "nftables",
    "ipset": "ipset",
    "conntrack": "conntrack",
    "ip": "iproute2",
    "openssl": "openssl",
    str(CNI_PLUGINS / "bridge"): "containernetworking-plugins",
}
"""Program to the package that has it."""


def absent_packages() -> list[str]:
    """The packages to install, because a program of theirs is not there."""
    return sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})


def install_packages() -> None:
    """Installs what is absent, and nothing else; `down` leaves the packages installed."""
    absent = absent_packages()
    if not absent:
        return
    with step(f"packages: {' '.join(absent)}"):
        apt_get("update")
        apt_get("install", "--yes", "--no-install-recommends", *absent)
    if absent_packages():
        raise ClusterError(f"packages: still absent after the installation: {' '.join(absent_packages())}")


def apt_get(*arguments: str) -> None:
    """Runs apt-get without questions; its output shows only when it fails."""
    result = subprocess.run(
        ["apt-get", "-q", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
    if result.returncode != 0:
        raise ClusterError(f"apt-get {arguments[0]}: exit {result.returncode}\n{result.stderr[-2000:]}")
