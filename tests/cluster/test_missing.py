"""A machine that cannot carry the cluster is told why, with the exit code that a suite can skip on."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from . import __main__ as command
from .missing import missing


def test_another_system_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert missing() == ["Linux: this is darwin; use kind or any cluster, and set KUBECONFIG"]


def test_an_ordinary_user_is_told_to_be_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "root: this is uid 1000; the kubelet and runc need root" in missing()


def test_a_machine_without_go_is_told_which(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # else everything may be built already
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "go" else f"/bin/{name}")
    assert "Go 1.26 or newer: no 'go' on the PATH" in missing()


def test_the_exit_code_is_three_and_the_list_is_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(sys, "argv", ["cluster", "missing"])
    code = command.main()
    assert (code, capsys.readouterr().out.startswith("missing: Linux")) == (3, True)
