"""Removes what outlives the processes: containers, image tools, cgroups, mounts, rules, settings, folders."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .before import Before, top_cgroups
from .firewall import FAMILIES, remove_chains, remove_sets, remove_tables
from .network import remove_bridge, setting_file
from .places import CONTAINERD_SOCKET, REGISTRY_CONFIG, RUN, STATE, image_store
from .processes import end_process
from .progress import wait_until

SHARED = Path("/run/containerd")
"""Where a containerd of the machine's own would have its socket, if somebody started one meanwhile."""

MNT_DETACH = 2
"""umount2(2): the mount leaves the tree at once, whoever still has a file open."""


def remove_all(before: Before) -> None:
    """Puts the machine back. Each part stands alone, so a half-finished `up` can be cleaned as well."""
    end_containers(before)
    end_image_tools()
    unmount_all()
    remove_cgroups(before)
    for family in FAMILIES:
        remove_chains(family, set(before.chains[family]))
        remove_tables(family, set(before.tables[family]))
    remove_sets(set(before.sets))
    remove_bridge()
    for key, value in before.settings.items():
        if setting_file(key).read_text().strip() != value:
            setting_file(key).write_text(value)
    remove_folders(before)


def end_containers(before: Before) -> None:
    """Ends what runs in the cgroups that appeared since `up`, and the shims that serve our containerd."""
    for group in new_cgroups(before):
        for pid in members(group):
            kill(pid)
        wait_until(f"processes in {group} to end", partial(is_empty, group), 20)
    for pid in pids("containerd-shim", CONTAINERD_SOCKET):
        end_process(pid, grace_seconds=0)


def end_image_tools() -> None:
    """buildah and registries of tests that were killed; buildah takes its children along."""
    for pid in [*pids("buildah", image_store()), *pids("docker-registry", REGISTRY_CONFIG)]:
        end_process(pid, grace_seconds=5)


def new_cgroups(before: Before) -> list[Path]:
    """Only the kubelet's and containerd's: other programs may have made groups of their own meanwhile."""
    names = ("kubepods", "k8s.io", "system.slice", "kubelet")
    return [group for group in top_cgroups() if str(group) not in before.cgroups and group.name in names]


def members(group: Path) -> Iterator[int]:
    """Pids in the group and below it."""
    for file in group.rglob("cgroup.procs"):
        try:
            yield from map(int, file.read_text().split())
        except OSError:
            continue  # the group went away while we looked


def is_empty(group: Path) -> bool:
    return not any(members(group))


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it ended by itself


def pids(program: str, mark: Path | str) -> list[int]:
    """Processes of that program with a word in the command line that ends in the mark: a path of ours."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if program.encode() in words[0] and any(word.endswith(str(mark).encode()) for word in words):
            found.append(int(folder.name))
    return found


def unmount_all() -> None:
    """The cluster's mounts, and those that a killed build has left in buildah's images."""
    unmount_below(RUN, STATE, image_store().resolve())


def unmount_below(*folders: Path) -> None:
    """Detaches every mount at or below the folders, the latest first.

    By the system call: the program umount would leave a folder of its own, /run/mount.
    """
    libc = ctypes.CDLL(None)
    prefixes = tuple(f"{folder}/" for folder in folders)
    for point in reversed(mount_points()):
        if f"{point}/".startswith(prefixes):
            libc.umount2(os.fsencode(point), MNT_DETACH)


def mount_points() -> list[str]:
    """In the order of mounting; spaces and the like are octal in mountinfo (proc(5))."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), line.split()[4]) for line in lines]


def remove_cgroups(before: Before) -> None:
    """A cgroup folder is removed by rmdir alone, children first."""
    for group in new_cgroups(before):
        for folder, _, _ in os.walk(group, topdown=False):
            Path(folder).rmdir()


def remove_folders(before: Before) -> None:
    """Our own with all that is in them; of the borrowed /run/containerd only when nobody uses it."""
    for folder in [*map(Path, before.absent_folders), RUN, STATE]:
        if folder == SHARED:
            if folder.exists() and not any(folder.iterdir()):
                folder.rmdir()
        else:
            shutil.rmtree(folder, ignore_errors=True)
