"""Which cluster the end-to-end tests act on: the one of this folder, or the one that KUBECONFIG names."""

from __future__ import annotations

import os
import shutil

from .build import HELM, KUBERNETES
from .places import KUBECONFIG

OWN = {"kubectl": KUBERNETES, "helm": HELM}


def foreign() -> bool:
    """Whether the cluster is somebody else's, such as kind's: used as it is, never brought up or down."""
    return os.environ.get("KUBECONFIG", str(KUBECONFIG)) != str(KUBECONFIG)


def kubeconfig() -> str:
    """The kubeconfig of the cluster."""
    return os.environ["KUBECONFIG"] if foreign() else str(KUBECONFIG)


def program(name: str) -> str:
    """kubectl or helm: the one that was built here, for a foreign cluster the one on PATH."""
    return shutil.which(name) or name if foreign() else str(OWN[name].folder / name)
