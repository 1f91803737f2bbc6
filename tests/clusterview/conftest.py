"""The fake API server, and a kubeconfig that leads to it."""

import json

import pytest

from .api import Api, kubeconfig, serving


@pytest.fixture
def api(tmp_path, monkeypatch):
    with serving(Api()) as served:
        path = tmp_path / "kubeconfig"
        path.write_text(json.dumps(kubeconfig(served.host)))  # JSON is YAML
        monkeypatch.setenv("KUBECONFIG", str(path))
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        yield served


@pytest.fixture
def cluster(api):
    from rallypoint.cluster.client import Cluster

    return Cluster()
