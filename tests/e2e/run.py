"""One job on the cluster: rendered by the command line, applied by kubectl, watched through the API."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cluster.kubectl import kubectl, kubectl_or_fail
from ..cluster.progress import wait_until
from .image import PYTHON_IMAGE
from .kind import Kind

CLAIM = "output"

LISTENING = """\
LISTEN, LOOPBACK = "0A", ("0100007F", 24 * "0" + "01000000")
for table in ("tcp", "tcp6"):
    for line in list(open(f"/proc/net/{table}"))[1:]:
        (address, port), state = line.split()[1].split(":"), line.split()[3]
        if state == LISTEN and address not in LOOPBACK:
            print(int(port, 16))
"""
"""Source: proc_net_tcp.txt of the kernel's documentation."""


def job_file(name: str, script: str, nodes: int = 3, **more: Any) -> dict[str, Any]:
    """A job file that runs a script inline, with its output on the tests' claim."""
    script_fields = {"inline": script, "args": more.pop("args", [])}
    job = {"name": name, "nodes": nodes, "image": PYTHON_IMAGE, "script": script_fields}
    return {**job, "output": {"pvc": CLAIM}, "grace_period": "30s", **more}


def rendered(kind: str, job: dict[str, Any], folder: Path) -> str:
    """What `rallypoint render` prints for a person."""
    path = folder / "job.yaml"
    path.write_text(json.dumps(job))  # JSON is YAML
    command = [sys.executable, "-m", "rallypoint", "render", "--kind", kind, str(path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@dataclass
class Run:
    """An applied job. `folder` is its output as the tests see it."""

    kind: Kind
    name: str
    namespace: str
    text: str
    folder: Path

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        return kubectl_or_fail(*arguments, "--namespace", self.namespace, stdin=stdin)

    def get(self, *what: str) -> list[dict[str, Any]]:
        """The objects of a list."""
        return list(json.loads(self.kubectl("get", *what, "--output=json"))["items"])

    def apply(self) -> str:
        """Admission's warnings, if there were any."""
        result = kubectl("apply", "--filename=-", "--namespace", self.namespace, stdin=self.text)
        assert result.returncode == 0, result.stderr
        return result.stderr

    def delete(self) -> None:
        """As a person would, with the same text."""
        self.kubectl("delete", "--filename=-", "--timeout=60s", stdin=self.text)

    def pods(self) -> dict[int, dict[str, Any]]:
        """Node index to the newest pod that is not being deleted."""
        found = self.get("pods", "--selector", f"rallypoint.dev/job={self.name}")
        living = [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]
        living.sort(key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
        return {int(pod["metadata"]["labels"][self.kind.index_label]): pod for pod in living}

    def pods_ever(self) -> int:
        """How many pods the job has had, with those that are gone; from the scheduler's events."""
        placed = self.get("events", "--field-selector=reason=Scheduled,involvedObject.kind=Pod")
        return sum(event["involvedObject"]["name"].startswith(f"{self.name}-") for event in placed)

    def told(self, rank: int) -> dict[str, Any]:
        """What the rank's program wrote; empty before it has."""
        path = self.folder / f"rank-{rank}.json"
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def wait_for_ranks(self, ranks: int, rounds_before: int = 0, seconds: float = 120) -> None:
        """Returns when every rank has met the others in this round or a later one."""

        def all_told() -> bool:
            return all(self.told(rank).get("round", -1) >= rounds_before for rank in range(ranks))

        wait_until(f"{self.kind.name}: {ranks} ranks to meet", all_told, seconds)

    def let_go(self) -> None:
        (self.folder / "go").touch()

    def wait_until_done(self, seconds: int = 120) -> None:
        """Returns when the kind says so, or for a kind that never ends, when the marker is there."""
        if self.kind.done is None:
            wait_until("done.json", (self.folder / "done.json").exists, seconds)
        else:
            self.wait_for(self.kind.done, seconds)

    def wait_for(self, condition: str, seconds: int = 120) -> None:
        what = f"{self.kind.resource}/{self.name}"
        self.kubectl("wait", what, f"--for=condition={condition}", f"--timeout={seconds}s")

    def endpoints(self) -> list[str]:
        """Addresses behind the rendezvous Service."""
        selector = f"kubernetes.io/service-name={self.name}-rdzv"
        slices = self.get("endpointslices", "--selector", selector)
        return [a for part in slices for endpoint in part["endpoints"] or [] for a in endpoint["addresses"]]

    def log(self, pod: dict[str, Any]) -> str:
        return self.kubectl("logs", str(pod["metadata"]["name"]))

    def all_logs(self, pod: dict[str, Any]) -> str:
        """What the pod has said, before its container started again too; empty when the pod is gone."""
        logs = ("logs", str(pod["metadata"]["name"]), "--namespace", self.namespace)
        return kubectl(*logs, "--previous").stdout + kubectl(*logs).stdout

    def python(self, index: int, code: str) -> str:
        """What the code prints in the pod of that node."""
        pod = str(self.pods()[index]["metadata"]["name"])
        return kubectl_or_fail("exec", pod, "--namespace", self.namespace, "--", "python3", "-c", code)

    def ports(self, index: int) -> set[int]:
        """Ports on which something listens in that pod, for others than the pod itself."""
        return set(map(int, self.python(index, LISTENING).split()))
