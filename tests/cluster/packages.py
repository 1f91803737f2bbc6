"""Debian packages for what is not a Go module: container runtime, CNI plugins, firewall tools, openssl."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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

POLICY = Path("/usr/sbin/policy-rc.d")
"""Debian asks this program whether a package may start its service: exit 101 means no."""

OURS = "# from rallypoint's tests/cluster"


def absent_packages(programs: Mapping[str, str] = PROGRAMS) -> list[str]:
    """The packages to install, because a program of theirs is not there."""
    return sorted({package for program, package in programs.items() if shutil.which(program) is None})


def install_packages(programs: Mapping[str, str] = PROGRAMS) -> None:
    """Installs what is absent, and nothing else; `down` leaves the packages installed."""
    absent = absent_packages(programs)
    if not absent:
        return
    with step(f"packages: {' '.join(absent)}"), no_services():
        apt_get("update")
        apt_get("install", "--yes", "--no-install-recommends", *absent)
    still = absent_packages(programs)
    if still:
        raise ClusterError(f"packages: still absent after the installation: {' '.join(still)}")


@contextmanager
def no_services() -> Iterator[None]:
    """Packages start no service meanwhile: the machine has no use for another containerd or registry.

    Somebody else's policy stays. Ours forbids only as long as this process lives: it may be killed.
    """
    if POLICY.exists() and OURS not in POLICY.read_text():
        yield
        return
    try:
        POLICY.write_text(f"#!/bin/sh\n{OURS}\nkill -0 {os.getpid()} 2>/dev/null && exit 101\nexit 0\n")
        POLICY.chmod(0o755)
        yield
    finally:
        if POLICY.exists() and f"kill -0 {os.getpid()} " in POLICY.read_text():  # not another installation's
            POLICY.unlink(missing_ok=True)


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
