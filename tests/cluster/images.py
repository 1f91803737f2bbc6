"""Images of one static program each, FROM scratch, as an archive that containerd imports."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
from pathlib import Path

PAUSE_IMAGE = "rallypoint.test/pause:1"
PROBE_IMAGE = "rallypoint.test/probe:1"
USER = "65532:65532"
"""`nonroot` in the official images."""


def write_archive(binary: Path, program: str, image: str, archive: Path) -> None:
    """A `docker save` archive: the binary at `/<program>` is the entrypoint, `image` the full name."""
    layer = archive.with_suffix(".layer")
    with tarfile.open(layer, "w") as tar:
        tar.add(binary, arcname=program, filter=as_root)
    digest = hashlib.sha256(layer.read_bytes()).hexdigest()
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    config = {
        "architecture": architecture,
        "os": "linux",
        "config": {"User": USER, "Entrypoint": [f"/{program}"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [image], "Layers": ["layer.tar"]}]
    with tarfile.open(archive, "w") as tar:
        add_json(tar, "manifest.json", manifest)
        add_json(tar, "config.json", config)
        tar.add(layer, arcname="layer.tar", filter=as_root)
    layer.unlink()


def as_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Owner root, time zero: the same binary makes the same image."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    return member


def add_json(tar: tarfile.TarFile, name: str, document: object) -> None:
    content = json.dumps(document).encode()
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))
