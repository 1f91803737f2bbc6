"""Everything under manifests/ passes the API server's own strict validation and every webhook."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..cluster.kubectl import kubectl, kubectl_or_fail
from .space import Space

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = sorted((ROOT / "manifests").glob("*/*.yaml"))
TRAINJOBS = [path for path in MANIFESTS if path.stem == "trainjob"]


def title(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def dry_run(path: Path, space: Space) -> list[str]:
    """kubectl's lines about objects that the server would not take, and about warnings."""
    flags = ("--dry-run=server", "--validate=strict", "--server-side", f"--filename={path}")
    result = kubectl("apply", "--namespace", space.namespace, *flags)
    lines = result.stderr.splitlines()
    assert bool(result.returncode) == any(line.startswith(("Error", "error", "The ")) for line in lines)
    return lines


@pytest.mark.parametrize("path", [path for path in MANIFESTS if path not in TRAINJOBS], ids=title)
def test_a_manifest_passes_a_strict_dry_run(path: Path, space: Space) -> None:
    assert dry_run(path, space) == []


@pytest.mark.parametrize("path", TRAINJOBS, ids=title)
def test_a_trainjob_passes_once_its_runtime_is_there(path: Path, space: Space) -> None:
    (without,) = dry_run(path, space)
    assert without.startswith("Error from server (Forbidden)")
    assert "not found" in without
    (runtime,) = [part for part in path.read_text().split("\n---\n") if "\nkind: TrainingRuntime\n" in part]
    kubectl_or_fail("create", "--namespace", space.namespace, "--filename=-", stdin=runtime)
    lines = dry_run(path, space)
    kubectl_or_fail("delete", "--namespace", space.namespace, "--filename=-", stdin=runtime)
    assert lines == []
