"""What `down` takes away of an image build that was killed, and whose it leaves."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import traces
from .places import image_store
from .traces import end_image_tools

IN_A_NAMESPACE = """\
import pathlib, sys
from tests.cluster import places, traces
traces.RUN = traces.STATE = pathlib.Path(sys.argv[1], "none")
traces.unmount_all()
print(*(point for point in traces.mount_points() if point.startswith(sys.argv[1])))
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def waiting() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that wait for their input; those that are still there in the end are killed."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_image_tools_end_where_they_work_for_us(
    tmp_path: Path, waiting: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = f"{tmp_path.name}.yml"  # not the real name: another run may have a registry just now
    monkeypatch.setattr(traces, "REGISTRY_CONFIG", config)
    for name, place in (
        ("buildah", image_store()),
        ("docker-registry", tmp_path / config),
        ("buildah", tmp_path / "theirs"),
        ("docker-registry", "/etc/docker/registry/config.yml"),
        ("vi", tmp_path / config),
    ):
        command = [name, "-c", "read line", str(place)]
        waiting.append(subprocess.Popen(command, executable="/bin/sh", stdin=subprocess.PIPE))
    end_image_tools()
    assert [process.poll() is None for process in waiting] == [False, False, True, True, True]


def may_mount() -> bool:
    """Whether this user may mount in a namespace of its own: root outside a container, as a rule."""
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.skipif(not may_mount(), reason="needs the right to mount")
def test_mounts_of_the_image_store_go(tmp_path: Path) -> None:
    """In a mount namespace of its own: the machine's mounts stay."""
    merged, theirs = image_store() / "overlay/layer/merged", tmp_path / "theirs"
    merged.mkdir(parents=True)
    theirs.mkdir()
    mounts = f"mount -t tmpfs none {merged} && mount -t tmpfs none {theirs}"
    script = f'{mounts} && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", script, "sh"]
    program = [sys.executable, "-c", IN_A_NAMESPACE, str(tmp_path)]
    result = subprocess.run([*command, *program], capture_output=True, text=True)
    assert result.stdout.split() == [str(theirs)], result.stderr
