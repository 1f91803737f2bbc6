"""A small image with Python and nothing else: enough for the launcher and for scripts without torch."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import tarfile
from pathlib import Path

from ..cluster.access import foreign
from ..cluster.containerd import image_names, import_image
from ..cluster.images import add_json, as_root
from ..cluster.packages import install_packages
from ..cluster.places import cache, scratch
from ..cluster.progress import ClusterError, step

PYTHON_IMAGE = "rallypoint.test/python:1"
SUITE = "bookworm"


def import_python_image() -> None:
    """Makes the image and imports it, unless containerd has it already. No user, no entrypoint.

    A foreign cluster must have it.
    """
    if foreign() or PYTHON_IMAGE in image_names():
        return
    with step(f"image {PYTHON_IMAGE}"), scratch() as folder:
        archive = Path(folder, "image.tar")
        write_archive(base_layer(), archive)
        import_image(archive)


def base_layer() -> Path:
    """Debian with python3 as one tar, kept in the cache."""
    layer = cache() / f"python-{SUITE}.tar"
    if not layer.exists():
        install_packages({"mmdebstrap": "mmdebstrap"})
        part = layer.with_suffix(".part")
        command = ["mmdebstrap", "--variant=minbase", "--include=python3", "--format=tar", SUITE, str(part)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise ClusterError(f"mmdebstrap: exit {result.returncode}\n{result.stderr[-2000:]}")
        part.rename(layer)
    return layer


def write_archive(layer: Path, archive: Path) -> None:
    """A `docker save` archive with this one layer."""
    with layer.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    config = {
        "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()],
        "os": "linux",
        "config": {"WorkingDir": "/workspace", "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [PYTHON_IMAGE], "Layers": ["layer.tar"]}]
    with tarfile.open(archive, "w") as tar:
        add_json(tar, "manifest.json", manifest)
        add_json(tar, "config.json", config)
        tar.add(layer, arcname="layer.tar", filter=as_root)
