"""The trainer image, from its own Dockerfile, with the example's model and data in it.

A tag is the hash of what its image is made of: on a machine that has built it, nothing is built again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from ..cluster.containerd import REGISTRY, ctr, image_names
from ..cluster.places import scratch
from ..cluster.progress import ClusterError, step
from ..trainer import small
from . import image_example
from .image_base import base_image
from .image_example import DATA, MODEL, ROOT, write_example
from .image_tools import build, buildah, install_tools, is_built, registry

DOCKERFILE = ROOT / "trainer_image" / "Dockerfile"
SOURCES = (
    "pyproject.toml",
    "constraints.txt",
    "README.md",
    "LICENSE",
    ".dockerignore",
    "generator",
    "trainer_image",
)
OWN = "RALLYPOINT_TRAINING_IMAGE"
"""Names an image that the cluster can pull, to use instead: for a cluster that is not of tests/cluster."""


def files_of(folder: Path) -> Iterable[Path]:
    """The files that a build sees, in one order."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(
        path for path in found if not any(part == "__pycache__" or "_cache" in part for part in path.parts)
    )


def digest(*places: Path) -> str:
    """12 letters that change with any file's name or content."""
    total = hashlib.sha256()
    for place in places:
        for path in [place] if place.is_file() else files_of(place):
            total.update(f"{path.relative_to(place.parent)}\n".encode() + path.read_bytes())
    return total.hexdigest()[:12]


def trainer_image() -> str:
    """The image that a user gets, built unless it is there."""
    image = f"localhost/rallypoint/trainer:{digest(*(ROOT / name for name in SOURCES))}"
    if not is_built(image):
        with step(f"image {image}"):
            build(image, DOCKERFILE, ROOT, base_image())
    return image


def import_training_image() -> str:
    """The name under which containerd has the trainer image with model and data; older ones are removed."""
    if os.environ.get(OWN):
        return os.environ[OWN]
    if not MODEL.exists():
        raise ClusterError(f"{MODEL.relative_to(ROOT)}: not there; make {MODEL.relative_to(ROOT)}")
    parts = [
        *(ROOT / name for name in SOURCES),
        MODEL,
        DATA,
        Path(small.__file__),
        Path(image_example.__file__),
    ]
    image = f"{REGISTRY}/rallypoint/training:{digest(*parts)}"
    if image not in image_names():
        install_tools()
        with step(f"image {image}"):
            buildah("rm", "--all")  # a killed build leaves the container it was in
            base = trainer_image()
            build_example(image, base)
            deliver(image)
            forget_others(image, base)
    return image


def build_example(image: str, base: str) -> None:
    """The image `base` with model and data."""
    with scratch() as place:
        folder = Path(place)
        write_example(folder)
        build(image, folder / "Dockerfile", folder, base)


def deliver(image: str) -> None:
    """Through a registry, as on any cluster."""
    with registry():
        buildah("push", "--tls-verify=false", "--compression-format=zstd", "--compression-level=1", image)
        pulled = ctr("images", "pull", "--plain-http", image)
        if pulled.returncode != 0:
            raise ClusterError(f"pull {image}: {pulled.stderr[-2000:]}")


def forget_others(image: str, base: str) -> None:
    """Removes what other contents have left in containerd and buildah; layers in use stay."""
    repository = image.rpartition(":")[0]
    old = [name for name in image_names() if name.startswith(f"{repository}:") and name != image]
    if old:
        ctr("images", "remove", "--sync", *old)
    kept = {image, base, base_image()}
    for name in buildah("images", "--format={{.Name}}:{{.Tag}}").split():
        if name not in kept and "<none>" not in name:
            buildah("rmi", name)
