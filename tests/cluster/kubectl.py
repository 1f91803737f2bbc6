"""Calls of kubectl, as the cluster's administrator."""

from __future__ import annotations

import os
import subprocess

from .access import foreign, kubeconfig, program
from .places import STATE
from .progress import ClusterError


def kubectl(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """The finished call, whatever its exit status."""
    command = [program("kubectl"), "--kubeconfig", kubeconfig(), *arguments]
    environment = dict(os.environ)
    if not foreign():
        environment["KUBECACHEDIR"] = str(STATE / "kubectl")  # else ~/.kube/cache, which stays
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment)


def kubectl_or_fail(*arguments: str, stdin: str | None = None) -> str:
    """stdout of the call; raises ClusterError with kubectl's own words when it fails."""
    result = kubectl(*arguments, stdin=stdin)
    if result.returncode != 0:
        raise ClusterError(f"kubectl {' '.join(arguments)}: {result.stderr.strip()}")
    return result.stdout
