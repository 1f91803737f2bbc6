"""What becomes of a pod that is taken away: the last that the API showed of it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import Any

from ..cluster.access import kubeconfig, program
from .training_run import TrainingRun


class Watch:
    """`kubectl get pod NAME --watch` in the background, from now until `seen` is asked."""

    def __init__(self, run: TrainingRun, index: int) -> None:
        pod = run.pods()[index]["metadata"]
        name = str(pod["name"])
        where = ["--kubeconfig", kubeconfig(), "--namespace", run.namespace]
        command = [program("kubectl"), *where, "get", "pod", name, "--watch", "--output=json"]
        self._file = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed by `seen`)
        self._uid = pod["uid"]
        self._process = subprocess.Popen(command, stdout=self._file, stderr=subprocess.DEVNULL)

    def seen(self) -> list[dict[str, Any]]:
        """Each state of that very pod that the API showed, in order; ends the watch."""
        self._process.terminate()
        self._process.wait()
        self._file.seek(0)
        text, found, decoder = self._file.read().lstrip(), [], json.JSONDecoder()
        self._file.close()
        while text:
            try:
                pod, end = decoder.raw_decode(text)
            except json.JSONDecodeError:
                break  # cut off in the middle
            found.append(pod)
            text = text[end:].lstrip()
        return [pod for pod in found if pod["metadata"]["uid"] == self._uid]

    def ending(self) -> dict[str, Any]:
        """How its container ended: exitCode, message; empty when the API never showed it."""
        for pod in reversed(self.seen()):
            (status,) = pod["status"].get("containerStatuses") or [{}]
            if "terminated" in status.get("state", {}):
                return dict(status["state"]["terminated"])
        return {}
