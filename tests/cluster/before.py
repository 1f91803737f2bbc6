"""What the machine was like before `up`, written down so that `down` can put it back."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .firewall import FAMILIES, chains, saved_rules, sets, tables
from .network import SETTINGS, setting_file
from .places import BORROWED, STATE

FILE = STATE / "before.json"
CGROUPS = Path("/sys/fs/cgroup")

CHANGED_SETTINGS = (
    *SETTINGS,
    "net.ipv4.conf.all.route_localnet",  # kube-proxy
    "net.netfilter.nf_conntrack_max",
    "net.netfilter.nf_conntrack_tcp_timeout_established",
    "net.netfilter.nf_conntrack_tcp_timeout_close_wait",
    "net.netfilter.nf_conntrack_tcp_be_liberal",
    "net.bridge.bridge-nf-call-ip6tables",  # kube-router
    "vm.overcommit_memory",  # the kubelet
    "vm.panic_on_oom",
    "kernel.panic",
    "kernel.panic_on_oops",
    "kernel.keys.root_maxkeys",
    "kernel.keys.root_maxbytes",
)


@dataclass
class Before:
    """The traces that could be left: kernel settings, firewall chains and sets, cgroups, folders."""

    settings: dict[str, str]
    chains: dict[str, list[str]]
    tables: dict[str, list[str]]
    cgroups: list[str]
    absent_folders: list[str]
    sets: list[str] = field(default_factory=list)  # a cluster that came up earlier may not have noted them


def record() -> Before:
    """The machine as it is now; kept in a file; one that is there already wins (an unfinished `up`)."""
    if FILE.exists():
        return Before(**json.loads(FILE.read_text()))
    found = {key: setting_file(key) for key in CHANGED_SETTINGS}
    before = Before(
        settings={key: file.read_text().strip() for key, file in found.items() if file.exists()},
        chains={family: sorted(chains(family)) for family in FAMILIES},
        tables={family: sorted(tables(saved_rules(family))) for family in FAMILIES},
        cgroups=[str(folder) for folder in top_cgroups()],
        absent_folders=[str(folder) for folder in BORROWED if not folder.exists()],
        sets=sorted(sets()),
    )
    STATE.mkdir(parents=True, exist_ok=True)
    partial = FILE.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(before), indent=1))
    partial.rename(FILE)
    return before


def top_cgroups() -> list[Path]:
    """The first level of groups in every hierarchy: v2 at /sys/fs/cgroup, v1 one folder per controller."""
    roots = [CGROUPS] if (CGROUPS / "cgroup.controllers").exists() else sorted(CGROUPS.iterdir())
    return [
        Path(entry.path)
        for root in roots
        if root.is_dir() and not root.is_symlink()
        for entry in os.scandir(root)
        if entry.is_dir(follow_symlinks=False)
    ]
