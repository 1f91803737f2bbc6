"""What a cluster could leave behind on the machine, to compare before `up` with after `down`."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from .before import CHANGED_SETTINGS, top_cgroups
from .network import ip, setting_file
from .places import BORROWED, RUN, STATE
from .traces import mount_points

IMAGE_TOOLS = ("buildah", "docker-registry")


@dataclass(frozen=True)
class Machine:
    """Every field is empty of ours on a machine that no cluster has touched."""

    links: list[str]
    addresses: list[str]
    routes: list[str]
    rules: list[str]
    sets: list[str]
    mounts: list[str]
    cgroups: list[str]
    settings: dict[str, str]
    folders: list[str]
    programs: list[str]


def machine() -> Machine:
    """The machine now."""
    return Machine(
        links=output("ip", "-oneline", "link", "show").splitlines(),
        addresses=[line.split("valid_lft")[0] for line in ip("-oneline", "address").splitlines()],
        routes=[*ip("route", "show", "table", "all").splitlines(), *ip("rule").splitlines()],
        rules=[line for family in ("iptables", "ip6tables") for line in rules(family)],
        sets=output("ipset", "list", "-name").splitlines(),
        mounts=[point for point in mount_points() if not is_foreign_namespace(point)],
        cgroups=sorted(map(str, top_cgroups())),
        settings={
            key: setting_file(key).read_text() for key in CHANGED_SETTINGS if setting_file(key).exists()
        },
        folders=[str(folder) for folder in (*BORROWED, RUN, STATE) if folder.exists()],
        programs=running_programs(),
    )


def is_foreign_namespace(point: str) -> bool:
    """A network namespace that somebody named by `ip netns`; the CNI library's begin with cni-."""
    return point.startswith("/run/netns") and not point.startswith("/run/netns/cni-")


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout


def rules(family: str) -> list[str]:
    """Rules and chains, without the time in the comments and the packet counts in brackets."""
    lines = output(f"{family}-save").splitlines()
    return [line.split(" [")[0] for line in lines if not line.startswith("#")]


def running_programs() -> list[str]:
    """Names of our kind of program, from anybody: the comparison is against the time before."""
    names = []
    ours = ("containerd", "runc", "etcd", "coredns", "kube", "pause", "probe", "manager", *IMAGE_TOOLS)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            target = (folder / "exe").readlink().name
        except OSError:
            continue  # a kernel thread, a zombie, or gone
        if target.startswith(ours):
            names.append(target)
    return sorted(names)
