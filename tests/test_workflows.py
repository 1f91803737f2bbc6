"""GitHub would take the workflows, by actionlint; they have the versions and tests of the cluster here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from .cluster.build import HELM, KUBERNETES
from .cluster.missing import GO_NEEDED

ROOT = Path(__file__).parents[1]
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"

STUB = """\
#!/bin/sh
case "$*" in *"tests.cluster build"*) exit $CODE ;; esac
"""
"""Stands for make and for each program of .venv: all is well, but for the compiler."""


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


def steps(name: str = "*") -> list[dict]:
    """Every step of the workflows."""
    workflows = [yaml.safe_load(path.read_text()) for path in ROOT.glob(f".github/workflows/{name}.yml")]
    return [step for workflow in workflows for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize(
    ("action", "setting", "version"),
    [
        ("azure/setup-helm", "version", HELM.version),
        ("helm/kind-action", "kubectl_version", KUBERNETES.version),
        ("actions/setup-go", "go-version", ".".join(map(str, GO_NEEDED))),
    ],
)
def test_the_workflows_have_the_version_of_the_cluster_here(action, setting, version):
    found = [step["with"][setting] for step in steps() if step.get("uses", "").startswith(f"{action}@")]
    assert set(found) == {version}


def test_the_nodes_of_kind_have_the_minor_version_of_the_cluster_here():
    nodes = yaml.safe_load((ROOT / "tests/kind/cluster.yaml").read_text())["nodes"]
    minors = {node["image"].partition(":")[2].rpartition(".")[0] for node in nodes}
    assert minors == {KUBERNETES.version.rpartition(".")[0]}


def test_kind_runs_the_tests_of_make_test_cluster_as_root():
    (make,) = re.findall(r"\ntest-cluster:.*\n.* -m '(.*)'", (ROOT / "Makefile").read_text())
    (command,) = [step["run"] for step in steps("e2e") if " -m pytest " in step.get("run", "")]
    assert re.findall(r" -m '(.*?)'", command) == [make]
    assert command.startswith("sudo -E env ")


@pytest.mark.parametrize(
    ("code", "goes_on"), [(0, True), (124, True), (3, True), (137, False), (1, False), (130, False)]
)
def test_ci_goes_on_without_the_cluster_only_for_want_of_time_or_means(tmp_path, code, goes_on):
    for name in ("bin/make", ".venv/bin/python", ".venv/bin/rallypoint"):
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(STUB)
        program.chmod(0o755)
    (tmp_path / ".ci").mkdir()
    script = shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "CODE": str(code)}
    result = subprocess.run(["bash", script], capture_output=True, text=True, env=environment)
    assert result.returncode == (0 if goes_on else code), result.stderr
