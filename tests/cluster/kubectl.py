"""Calls of the kubectl that was built, as the cluster's administrator."""

from __future__ import annotations

import os
import subprocess

from .build import KUBERNETES
from .places import KUBECONFIG, STATE
from .progress import ClusterError


def kubectl(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """The finished call, whatever its exit status."""
    command = [str(KUBERNETES.folder / "kubectl"), "--kubeconfig", str(KUBECONFIG), *arguments]
    environment = {**os.environ, "KUBECACHEDIR": str(STATE / "kubectl")}  # else ~/.kube/cache, which stays
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment)


def kubectl_or_fail(*arguments: str, stdin: str | None = None) -> str:
    """stdout of the call; raises ClusterError with kubectl's own words when it fails."""
    result = kubectl(*arguments, stdin=stdin)
    if result.returncode != 0:
        raise ClusterError(f"kubectl {' '.join(arguments)}: {result.stderr.strip()}")
    return result.stdout
