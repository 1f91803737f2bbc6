"""The cluster that KUBECONFIG names is used as it is."""

from __future__ import annotations

import pytest

from . import access
from .kubectl import kubectl
from .places import KUBECONFIG


def test_without_a_kubeconfig_the_cluster_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert (access.foreign(), access.kubeconfig()) == (False, str(KUBECONFIG))


def test_our_own_kubeconfig_is_not_foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(KUBECONFIG))
    assert not access.foreign()


def test_another_kubeconfig_is_the_one_that_kubectl_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/kind.yaml")
    assert access.foreign()
    assert f"{tmp_path}/kind.yaml" in kubectl("get", "nodes").stderr
