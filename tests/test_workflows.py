"""GitHub would take the workflows, by actionlint; kind gets the operators of the cluster here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("go") is None, reason="actionlint is compiled: needs Go")
def test_actionlint_finds_nothing(tmp_path):
    environment = {**os.environ, "GOFLAGS": "-mod=mod"}
    command = ["go", "run", ACTIONLINT, "-no-color", *map(str, ROOT.glob(".github/workflows/*.yml"))]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr[-500:]


@pytest.mark.parametrize("module", ["training-operator", "trainer", "jobset", "kueue"])
def test_the_operators_of_kind_have_the_versions_of_the_cluster_here(module):
    script = (ROOT / "tests/kind/operators.sh").read_text()
    [function] = [line for line in script.splitlines() if line.startswith("version()")]
    [call] = [line.partition("$(")[2].rstrip(")") for line in script.splitlines() if f" {module})" in line]
    found = subprocess.run(
        ["bash", "-c", f"{function}\n{call}"],
        cwd=ROOT / "tests/cluster/go", capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    assert f"{call.split()[1]} {found} " in (ROOT / f"tests/cluster/go/{module}/go.mod").read_text()
    assert found.startswith("v")
