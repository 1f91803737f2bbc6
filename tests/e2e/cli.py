"""The command line as a person types it, with the test cluster's kubeconfig."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from rallypoint.cli import main

from ..cluster.places import KUBECONFIG
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
    """The finished process, on the test cluster unless KUBECONFIG says otherwise.

    Forked from this one, which has imported all there is: a busy machine imports for ten seconds and more.
    """
    import kubernetes.client
    import kubernetes.config  # noqa: F401  (both, once for all)

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            _become(words, out.fileno(), err.fileno(), {"KUBECONFIG": str(KUBECONFIG), **environment})
        status = _ended(child, words, timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), out.read(), err.read())


def _become(words: tuple[str, ...], out: int, err: int, environment: dict[str, str]) -> NoReturn:
    """Be the command line, and end as it does."""
    code: object = 1
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = (os.fdopen(os.dup(number), "w") for number in (1, 2))
        os.environ.update(environment)
        main(words)
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - what a shell would show of it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _ended(child: int, words: tuple[str, ...], seconds: float) -> int:
    """The status of the child; one that does not end is killed."""
    until = time.monotonic() + seconds
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError(f"rallypoint {' '.join(words)}: not over after {seconds:.0f} s")
        time.sleep(0.05)


def begun(*words: str) -> subprocess.Popen[str]:
    """A process that goes on, its streams piped."""
    command = [sys.executable, "-m", "rallypoint", *words]
    env = {**os.environ, "KUBECONFIG": str(KUBECONFIG)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
