"""The trainer image: what it says of itself, what it lacks, and what a change of our code builds anew."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .image_base import base_image
from .image_example import ROOT
from .image_tools import build, buildah
from .image_training import DOCKERFILE, OWN, SOURCES, trainer_image

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(900, func_only=True),
    pytest.mark.skipif(OWN in os.environ, reason=f"{OWN} names an image that was built elsewhere"),
]

LABEL = "org.opencontainers.image"
NAMED = ("title", "description", "licenses", "version", "revision", "base.name")
PATHS = ("usr/local/bin", "usr/bin", "bin", "opt/rallypoint/bin")
COMPILERS = {"cc", "gcc", "g++", "c++", "clang", "nvcc"}
CACHES = ("root/.cache", "tmp", "var/cache/apt/archives", "var/lib/apt/lists")
OWN_LAYERS = 2
"""The wheel, and what pip makes of it."""
CHANGED = "localhost/rallypoint/changed:latest"


@pytest.fixture(scope="module")
def image(training_image: str) -> str:
    """The image of the Dockerfile, in buildah's store."""
    return trainer_image()


def inspected(image: str) -> dict[str, Any]:
    """Its OCI configuration."""
    return dict(json.loads(buildah("inspect", "--type=image", image))["OCIv1"])


def test_it_says_what_it_is_and_runs_as_nobody_special(image: str) -> None:
    config = inspected(image)["config"]
    assert {f"{LABEL}.{name}" for name in NAMED} <= set(config["Labels"])
    assert config["Labels"][f"{LABEL}.base.name"] == base_image()
    assert config["User"] == "1000:1000"
    assert config["Cmd"] == ["rallypoint", "version"]
    assert not config.get("Entrypoint")


@pytest.fixture
def root(image: str) -> Iterator[Path]:
    """Its files."""
    container = buildah("from", "--pull=false", image)
    try:
        yield Path(buildah("mount", container))
    finally:
        buildah("rm", container)


def test_it_has_no_compiler_and_no_cache(root: Path) -> None:
    programs = {link.name for path in PATHS for link in (root / path).iterdir()}
    assert {"python3", "rallypoint"} <= programs
    assert not programs & COMPILERS
    files = [path for place in CACHES for path in (root / place).rglob("*") if path.is_file()]
    assert [path for path in files if path.stat().st_size > 0] == []  # apt leaves a lock


def test_a_change_of_our_code_builds_no_layer_below_it(
    image: str, tmp_path: Path, figure: Callable[..., None]
) -> None:
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    with (tmp_path / "generator" / "rallypoint" / "__init__.py").open("a") as file:
        file.write("CHANGED = True\n")
    began = time.monotonic()
    build(CHANGED, tmp_path / DOCKERFILE.relative_to(ROOT), tmp_path, base_image())
    figure("the image after a change of our code", built=time.monotonic() - began)
    try:
        before, after = (inspected(name)["rootfs"]["diff_ids"] for name in (image, CHANGED))
    finally:
        buildah("rmi", CHANGED)
    assert len(after) == len(before) > OWN_LAYERS
    assert after[:-OWN_LAYERS] == before[:-OWN_LAYERS]
    assert after[-OWN_LAYERS] != before[-OWN_LAYERS]
