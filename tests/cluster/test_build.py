"""The cache folder follows the content of a module; images follow the binary."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from . import build
from .build import HELM, KUBERNETES, MODULES, linker_flags
from .images import write_archive


def test_every_module_is_pinned() -> None:
    assert {module.name: module.version for module in MODULES} == {
        "helm": "v3.22.0",
        "kubernetes": "v1.34.4",
        "etcd": "v3.7.3",
        "coredns": "v1.14.7",
        "pod": "v0.0.0",
        "kube-router": "v2.1.0",
        "jobset": "v0.11.1",
        "training-operator": "v1.9.3",
        "trainer": "v2.2.0",
        "kueue": "v0.17.0",
    }


def test_another_go_sum_means_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = HELM.folder
    shutil.copytree(HELM.source, tmp_path / "helm")
    monkeypatch.setattr(build, "SOURCES", tmp_path)
    same = HELM.folder
    with (tmp_path / "helm" / "go.sum").open("a") as sums:
        sums.write("\n")
    assert (same == before, HELM.folder == before) == (True, False)


def test_the_version_is_stamped() -> None:
    assert "component-base/version.gitVersion=v1.34.4" in linker_flags(KUBERNETES)


def test_the_same_binary_makes_the_same_image(tmp_path: Path) -> None:
    binary = tmp_path / "program"
    binary.write_bytes(b"text")
    for name in ("first", "second"):
        write_archive(binary, "program", "rallypoint.test/x:1", tmp_path / f"{name}.tar")
        binary.touch()
    assert (tmp_path / "first.tar").read_bytes() == (tmp_path / "second.tar").read_bytes()
