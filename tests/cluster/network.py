"""The one node's network: a bridge whose address is the node, a range for pods, a range for Services."""

from __future__ import annotations

import ipaddress
import json
import subprocess
from pathlib import Path

from .places import CONFIG
from .progress import ClusterError

BRIDGE = "rp-cni0"
NODE_NAME = "node-0"
NODE_ADDRESS = "10.77.0.1"
"""The bridge's address, for the node, the API server and DNS: the kubelet refuses a loopback address."""
POD_RANGE = "10.77.0.0/16"
SERVICE_RANGE = "10.96.0.0/16"
SERVICE_ADDRESS = "10.96.0.1"
"""The Service `kubernetes`: the first address of the range."""
SERVER = f"https://{NODE_ADDRESS}:6443"
DOMAIN = "cluster.local"

CNI_CONFIG = CONFIG / "cni"

SETTINGS = {
    "net.ipv4.ip_forward": "1",
    "net.bridge.bridge-nf-call-iptables": "1",  # Services and policies see traffic between two pods
}
"""Kernel settings that pods need; `before.py` knows what they were."""


def make_network() -> None:
    """The bridge, the kernel settings and the CNI configuration; nothing happens when they are there."""
    if not Path(f"/sys/class/net/{BRIDGE}").exists():
        refuse_overlap()
        ip("link", "add", BRIDGE, "type", "bridge")
    ip("address", "replace", f"{NODE_ADDRESS}/16", "dev", BRIDGE)
    ip("link", "set", BRIDGE, "up")
    # a Service that has no rule for a moment must not be looked for beyond this machine: something may answer
    ip("route", "replace", SERVICE_RANGE, "dev", BRIDGE)
    for key, value in SETTINGS.items():
        write_setting(key, value)
    write_cni_config()


def ip(*arguments: str) -> str:
    result = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise ClusterError(f"ip {' '.join(arguments)}: {result.stderr.strip()}")
    return result.stdout


def refuse_overlap() -> None:
    """Raises ClusterError when the machine already routes addresses of our two ranges."""
    ours = [ipaddress.ip_network(text) for text in (POD_RANGE, SERVICE_RANGE)]
    for route in json.loads(ip("-json", "-4", "route", "show") or "[]"):
        if route["dst"] == "default":
            continue
        theirs = ipaddress.ip_network(route["dst"], strict=False)
        if any(theirs.overlaps(network) for network in ours):
            raise ClusterError(
                f"network: the route {route['dst']} on {route['dev']} overlaps {POD_RANGE} or {SERVICE_RANGE}"
            )


def setting_file(key: str) -> Path:
    return Path("/proc/sys", *key.split("."))


def write_setting(key: str, value: str) -> None:
    try:
        setting_file(key).write_text(value)
    except FileNotFoundError as error:
        raise ClusterError(f"kernel setting {key}: not in this kernel (modprobe br_netfilter)") from error


def write_cni_config() -> None:
    bridge = {
        "type": "bridge",
        "bridge": BRIDGE,
        "isGateway": True,
        "ipMasq": True,
        "hairpinMode": True,  # a pod reaches itself through its own Service
        "ipam": {
            "type": "host-local",
            "dataDir": str(CONFIG / "addresses"),
            "ranges": [[{"subnet": POD_RANGE, "gateway": NODE_ADDRESS}]],
            "routes": [{"dst": "0.0.0.0/0"}],
        },
    }
    portmap = {"type": "portmap", "capabilities": {"portMappings": True}}
    document = {"cniVersion": "0.4.0", "name": "rallypoint", "plugins": [bridge, portmap]}
    CNI_CONFIG.mkdir(parents=True, exist_ok=True)
    (CNI_CONFIG / "10-rallypoint.conflist").write_text(json.dumps(document, indent=1))


def remove_bridge() -> None:
    if Path(f"/sys/class/net/{BRIDGE}").exists():
        ip("link", "delete", BRIDGE)
