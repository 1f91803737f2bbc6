"""Firewall chains and address sets that kube-proxy, kubelet, kube-router and CNI made, and their removal."""

from __future__ import annotations

import re
import shutil
import subprocess

from .progress import ClusterError

OURS = re.compile(r"(?:KUBE|CNI)-[A-Z0-9a-z-]+")
"""Chains and sets that the programs make all begin so."""
FAMILIES = ("iptables", "ip6tables")


def chains(family: str) -> set[str]:
    """Names of the chains of one address family that look like Kubernetes' or CNI's."""
    names = re.findall(r"^:(\S+)", saved_rules(family), flags=re.MULTILINE)
    return {name for name in names if OURS.fullmatch(name)}


def saved_rules(family: str) -> str:
    if shutil.which(f"{family}-save") is None:
        return ""
    return subprocess.run([f"{family}-save"], capture_output=True, text=True).stdout


def without_chains(rules: str, unwanted: set[str]) -> str:
    """The iptables-save text less the unwanted chains and every rule that is in them or jumps to them."""
    kept = []
    for line in rules.splitlines():
        words = line.lstrip(":").split()
        if not (line.startswith((":", "-A")) and unwanted.intersection(words)):
            kept.append(line)
    return "\n".join(kept) + "\n"


def remove_chains(family: str, before: set[str]) -> None:
    """Removes, table by table in one step, the chains that were not there before `up`."""
    unwanted = chains(family) - before
    if not unwanted:
        return
    rules = without_chains(saved_rules(family), unwanted)
    result = subprocess.run([f"{family}-restore"], input=rules, capture_output=True, text=True)
    if result.returncode != 0:
        raise ClusterError(f"{family}-restore: {result.stderr.strip()}")


def tables(rules: str) -> dict[str, list[str]]:
    """Each table of an iptables-save text to what is in it: rules, chains, policies other than ACCEPT."""
    found: dict[str, list[str]] = {}
    for line in rules.splitlines():
        if line.startswith("*"):
            found[line[1:]] = lines = []
        elif line.startswith((":", "-A")) and " ACCEPT [" not in line:
            lines.append(line)
    return found


def remove_tables(family: str, before: set[str]) -> None:
    """Removes tables that were not there before `up` and are empty; older iptables (legacy) makes none."""
    nft_family = {"iptables": "ip", "ip6tables": "ip6"}[family]
    for table, lines in tables(saved_rules(family)).items():
        if table not in before and not lines:
            subprocess.run(["nft", "delete", "table", nft_family, table], capture_output=True)


def sets() -> set[str]:
    """Names of the address sets that look like Kubernetes'."""
    if shutil.which("ipset") is None:
        return set()
    names = subprocess.run(["ipset", "list", "-name"], capture_output=True, text=True).stdout.split()
    return {name for name in names if OURS.fullmatch(name.removeprefix("inet6:"))}


def remove_sets(before: set[str]) -> None:
    """Removes the sets that were not there before `up`; they can go only after the rules that match them."""
    for name in sorted(sets() - before):
        subprocess.run(["ipset", "destroy", name], capture_output=True)
