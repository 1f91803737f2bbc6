"""The command line as a person types it, with the test cluster's kubeconfig."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cluster.access import kubeconfig
from .kind import Kind
from .run import Run, job_file


@dataclass
class Typed:
    """One job file, and the verbs that act on its job."""

    kind: Kind
    name: str
    namespace: str
    file: Path
    folder: Path
    """The job's output as the tests see it."""

    def verb(self, verb: str, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """The finished process of a verb that takes the job's name."""
        return rallypoint(verb, self.name, *words, "--namespace", self.namespace, timeout=timeout)

    def apply(self, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        return rallypoint("apply", str(self.file), *words, "--namespace", self.namespace, timeout=timeout)

    def state(self) -> dict[str, Any]:
        """What `status -o json` says of it."""
        result = self.verb("status", "-o", "json")
        assert result.returncode == 0, result.stderr
        (found,) = json.loads(result.stdout)["jobs"]
        return dict(found)

    @property
    def run(self) -> Run:
        """The same job as the other tests know it."""
        return Run(self.kind, self.name, self.namespace, "", self.folder)


def typed(kind: Kind, name: str, script: str, where: tuple[str, Path, Path], **fields: Any) -> Typed:
    """A job file on disk; `where` is the namespace, the claim's folder and a folder for the file."""
    namespace, output, folder = where
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps({"kind": kind.name, **job_file(name, script, **fields)}))
    return Typed(kind, name, namespace, path, output / name)


def rallypoint(*words: str, timeout: float = 300, **environment: str) -> subprocess.CompletedProcess[str]:
    """The finished process, on the cluster of the tests unless `environment` names another."""
    env = {**os.environ, "KUBECONFIG": kubeconfig(), **environment}
    return subprocess.run(command(*words), capture_output=True, text=True, env=env, timeout=timeout)


def begun(*words: str) -> subprocess.Popen[str]:
    """A process that goes on, its streams piped; it hears Ctrl-C even if the tests themselves do not."""
    env = {**os.environ, "KUBECONFIG": kubeconfig()}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command(*words), stdout=pipe, stderr=pipe, text=True, env=env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "rallypoint", *words]
