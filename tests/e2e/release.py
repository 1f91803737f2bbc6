"""One release of the chart on the cluster: installed, upgraded, tested and uninstalled by helm."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ..cluster.access import kubeconfig, program
from ..cluster.kubectl import kubectl, kubectl_or_fail
from .kind import Kind
from .run import Run, job_file
from .space import Space

CHART = Path(__file__).resolve().parents[2] / "charts/rallypoint"
RELEASED = "meta.helm.sh/release-name"
PASSING = ("events", "endpointslices", "endpoints", "leases", "pods", "podmetrics")
"""What changes by itself while a job runs."""


@dataclass
class Release:
    """A release, and through `run` its job. `folder` holds helm's own files and the values."""

    run: Run
    folder: Path
    chart: Path | str = CHART
    options: list[str] = field(default_factory=list)

    def helm(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """The finished call in the release's namespace, whatever its exit status."""
        homes = {f"HELM_{name}_HOME": str(self.folder / "helm") for name in ("CACHE", "CONFIG", "DATA")}
        command = [program("helm"), *arguments, "--namespace", self.run.namespace]
        environment = {**os.environ, **homes, "KUBECONFIG": kubeconfig()}
        return subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment)

    def helm_or_fail(self, *arguments: str) -> str:
        """What helm prints."""
        result = self.helm(*arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def send(self, verb: str, values: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
        """`helm <verb>` of the chart with a job file as values."""
        path = self.folder / "values.yaml"
        path.write_text(json.dumps(values))
        given = ("--values", str(path), *self.options, *options)
        return self.helm(verb, self.run.name, str(self.chart), *given)

    def install(self, values: dict[str, Any], *options: str) -> str:
        """helm's notes."""
        return self.sent("install", values, *options)

    def upgrade(self, values: dict[str, Any], *options: str) -> str:
        """helm's notes."""
        return self.sent("upgrade", values, *options)

    def sent(self, verb: str, values: dict[str, Any], *options: str) -> str:
        """What helm prints of a call that succeeds."""
        result = self.send(verb, values, *options)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def uninstall(self) -> str:
        """What helm says that it has kept, once the pods are gone too."""
        words = ("--cascade=foreground", "--wait", "--timeout=90s")
        result = self.helm("uninstall", self.run.name, *words)
        assert result.returncode == 0, result.stderr
        return result.stdout + result.stderr

    def revision(self) -> str:
        """`<number> <status>` of the newest revision."""
        (newest,) = json.loads(self.helm_or_fail("history", self.run.name, "--max=1", "--output=json"))
        return f"{newest['revision']} {newest['status']}"

    def test(self) -> tuple[bool, str]:
        """Whether `helm test` passes, and everything that it prints."""
        result = self.helm("test", self.run.name)
        return result.returncode == 0, result.stdout + result.stderr


Prepare = Callable[..., Release]


@pytest.fixture
def prepare(space: Space, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Prepare]:
    """Makes a release, not installed yet; uninstalled after the test, and described when that failed."""
    from .conftest import story  # which imports this fixture

    begun: list[Release] = []

    def made(kind: Kind, name: str, chart: Path | str = CHART) -> Release:
        run = Run(kind, name, space.namespace, "", space.folder / name)
        folder = tmp_path / f"release-{len(begun)}"
        folder.mkdir()
        begun.append(Release(run, folder, chart))
        return begun[-1]

    yield made
    for release in begun:
        if getattr(request.node, "failed", False):
            print(release.helm("status", release.run.name).stdout, story(release.run))
        release.helm("uninstall", release.run.name, "--ignore-not-found", "--wait", "--timeout=90s")


def values(kind: Kind, script: str, **fields: Any) -> dict[str, Any]:
    """A job file without a name, which the release gives."""
    found = {"kind": kind.name, **job_file("unnamed", script, **fields)}
    del found["name"]
    return found


def versions(namespace: str) -> dict[str, str]:
    """The resourceVersion of everything in the namespace that does not change by itself."""
    listed = kubectl_or_fail("api-resources", "--namespaced", "--verbs=list", "--output=name").split()
    kinds = ",".join(name for name in listed if name.split(".")[0] not in PASSING)
    shown = "jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{'\\n'}{end}"
    lines = kubectl_or_fail("get", kinds, "--namespace", namespace, f"--output={shown}").splitlines()
    return dict(line.rsplit(" ", 1) for line in lines)


def settled(namespace: str, seconds: float = 30) -> dict[str, str]:
    """The versions once controllers have written what they had to."""
    until, before = time.monotonic() + seconds, versions(namespace)
    while time.monotonic() < until:
        time.sleep(1)
        now = versions(namespace)
        if now == before:
            return now
        before = now
    raise AssertionError("objects keep changing")


def labels_of(run: Run, what: str) -> dict[str, str]:
    """The labels of one object."""
    found = kubectl("get", what, "--namespace", run.namespace, "--output=jsonpath={.metadata.labels}")
    assert found.returncode == 0, found.stderr
    return dict(json.loads(found.stdout))
