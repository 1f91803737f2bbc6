"""A stand-in for `python:3.11-slim`, from Debian packages: for machines that reach no image registry."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from ..cluster.places import scratch
from ..cluster.progress import ClusterError, step
from .image_tools import buildah, is_built

SUITE = "bookworm"
PACKAGES = ("ca-certificates", "libgomp1", "libstdc++6", "python3", "python3-pip", "python3-venv")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
"""The machine's own: a build goes through the same proxies as the machine."""


def base_image() -> str:
    """The name of the base image; made unless it is there."""
    found = f"{SUITE} {PACKAGES}".encode() + CERTIFICATES.read_bytes()
    image = f"localhost/rallypoint/python:{hashlib.sha256(found).hexdigest()[:12]}"
    if not is_built(image):
        with step(f"image {image}"), scratch() as folder:
            make(image, Path(folder))
    return image


def make(image: str, folder: Path) -> None:
    layer = folder / "base.tar"
    included = ",".join(PACKAGES)
    command = ["mmdebstrap", "--variant=minbase", f"--include={included}", "--format=tar", SUITE, str(layer)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise ClusterError(f"mmdebstrap: exit {result.returncode}\n{result.stderr[-2000:]}")
    container = buildah("from", "scratch")
    try:
        buildah("add", container, str(layer), "/")
        shutil.copy(CERTIFICATES, folder / CERTIFICATES.name)
        buildah("copy", container, str(folder / CERTIFICATES.name), str(CERTIFICATES))
        settings = {name: value for name, value in os.environ.items() if name == "PIP_INDEX_URL"}
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PIP_CERT": str(CERTIFICATES), **settings}
        buildah("config", *(f"--env={name}={value}" for name, value in environment.items()), container)
        buildah("commit", container, image)
    finally:
        buildah("rm", container)
