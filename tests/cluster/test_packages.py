"""Packages start no service while they are installed, and nothing of that stays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from . import packages
from .packages import install_packages
from .progress import ClusterError

ABSENT = {"no-such-program": "no-such-package"}
Apt = Callable[..., None]


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "policy-rc.d"
    monkeypatch.setattr(packages, "POLICY", path)
    return path


def install(apt_get: Apt, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if apt-get were this function; the program is absent afterwards too."""
    monkeypatch.setattr(packages, "apt_get", apt_get)
    with pytest.raises(ClusterError, match="still absent after the installation: no-such-package"):
        install_packages(ABSENT)


def test_no_service_may_start_meanwhile(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    install(lambda *_: answers.append(subprocess.run([policy]).returncode), monkeypatch)
    assert (set(answers), policy.exists()) == ({101}, False)


def test_an_interrupted_installation_takes_the_prohibition_away(
    policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(packages, "apt_get", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install_packages(ABSENT)
    assert not policy.exists()


def test_a_policy_of_somebody_else_stays(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy.write_text("theirs")
    install(lambda *_: None, monkeypatch)
    assert policy.read_text() == "theirs"


def test_what_a_killed_installation_left_allows_services_and_goes_with_the_next(
    policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os, pathlib, sys; from tests.cluster import packages\n"
        "packages.POLICY = pathlib.Path(sys.argv[1])\n"
        "with packages.no_services(): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(policy)])
    assert subprocess.run([policy]).returncode == 0
    install(lambda *_: None, monkeypatch)
    assert not policy.exists()
