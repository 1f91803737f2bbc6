"""What `down` takes out of the firewall, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from .firewall import remove_sets, tables, without_chains

SAVED = """\
*filter
:INPUT ACCEPT [5:300]
:DOCKER - [0:0]
:KUBE-ROUTER-INPUT - [0:0]
-A INPUT -m comment --comment "kube-router netpol" -j KUBE-ROUTER-INPUT
-A INPUT -p tcp --dport 22 -j ACCEPT
-A DOCKER -j RETURN
-A KUBE-ROUTER-INPUT -d 10.96.0.0/16 -j RETURN
COMMIT
"""


def test_our_chains_go_with_the_rules_that_jump_to_them() -> None:
    assert "KUBE" not in without_chains(SAVED, {"KUBE-ROUTER-INPUT"})


def test_the_rules_of_others_stay_in_order() -> None:
    assert without_chains(SAVED, {"KUBE-ROUTER-INPUT"}).splitlines() == [
        "*filter",
        ":INPUT ACCEPT [5:300]",
        ":DOCKER - [0:0]",
        "-A INPUT -p tcp --dport 22 -j ACCEPT",
        "-A DOCKER -j RETURN",
        "COMMIT",
    ]


def test_a_table_with_somebodys_rule_is_not_empty() -> None:
    assert tables(SAVED)["filter"] != []


def test_a_table_with_policies_alone_is_empty() -> None:
    assert tables("*nat\n:INPUT ACCEPT [0:0]\nCOMMIT\n") == {"nat": []}


def test_only_sets_that_came_with_the_cluster_are_destroyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'if [ "$1" = list ]; then printf "blocked\\nKUBE-SRC-OLD\\nKUBE-SRC-NEW\\ninet6:KUBE-DST-NEW\\n"'
    (tmp_path / "ipset").write_text(f'#!/bin/sh\n{script}\nelse echo "$2" >> {tmp_path}/destroyed; fi\n')
    (tmp_path / "ipset").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    remove_sets({"KUBE-SRC-OLD"})
    assert (tmp_path / "destroyed").read_text().split() == ["KUBE-SRC-NEW", "inet6:KUBE-DST-NEW"]
