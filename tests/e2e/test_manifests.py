"""Everything under manifests/ passes the API server's own strict validation and every webhook."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..cluster.kubectl import kubectl
from .space import Space

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = sorted((ROOT / "manifests").glob("*/*.yaml"))
NO_RUNTIME = "TrainingRuntime"
"""Named by Trainer's webhook, which asks for a runtime that a dry run does not make."""


def refused(error: str) -> list[str]:
    """kubectl's lines about objects that the server would not take."""
    return [line for line in error.splitlines() if line.startswith(("Error", "error", "The "))]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_manifest_passes_a_strict_dry_run(path: Path, space: Space) -> None:
    flags = ("--dry-run=server", "--validate=strict", "--server-side", f"--filename={path}")
    result = kubectl("apply", "--namespace", space.namespace, *flags)
    lines = refused(result.stderr)
    if path.stem == "trainjob":
        assert len(lines) == 1, result.stderr
        assert NO_RUNTIME in lines[0]
    else:
        assert (result.returncode, lines) == (0, [])
