"""Network namespaces for simulated pods: one each, joined by a bridge; nothing on the host's own network."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

FAMILY = "rallypoint-test-"
PREFIX = f"{FAMILY}{os.getpid()}-"
BLACK_HOLE = "10.99.7.250"


def isolated():
    """Whether pods can have namespaces of their own here."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        return False
    name = f"{PREFIX}try"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode:
        return False
    subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return True


def address(index):
    return f"10.99.7.{10 + index}"


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def remove_leftovers():
    """Takes away the namespaces of test runs that were killed."""
    for path in Path("/run/netns").glob(f"{FAMILY}*"):
        pid = path.name.removeprefix(FAMILY).split("-")[0]
        if not Path(f"/proc/{pid}").exists():
            subprocess.run(["ip", "netns", "del", path.name], capture_output=True)


class Network:
    """A bridge in a namespace of its own, and one namespace for each pod; nothing on the host's own
    network."""

    def __init__(self, pods):
        remove_leftovers()
        self.pods, self.hub = pods, f"{PREFIX}hub"
        ip("netns", "add", self.hub)
        ip("-n", self.hub, "link", "add", "name", "bridge0", "type", "bridge")
        ip("-n", self.hub, "link", "set", "bridge0", "up")
        for index in range(pods):
            name = f"{PREFIX}{index}"
            ip("netns", "add", name)
            ip(
                "-n",
                name,
                "link",
                "add",
                "eth0",
                "type",
                "veth",
                "peer",
                "name",
                f"v{index}",
                "netns",
                self.hub,
            )
            ip("-n", self.hub, "link", "set", f"v{index}", "master", "bridge0", "up")
            ip("-n", name, "addr", "add", f"{address(index)}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "route", "add", "default", "via", "10.99.7.1")

    def cable(self, index, state):
        ip("-n", self.hub, "link", "set", f"v{index}", state)

    def close(self):
        for name in [*(f"{PREFIX}{index}" for index in range(self.pods)), self.hub]:
            ip("netns", "del", name)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
