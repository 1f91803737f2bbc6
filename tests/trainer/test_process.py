"""The plain process, as the launcher starts it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rallypoint_trainer
from rallypoint_trainer.arguments import DEFAULTS, OURS, REFUSED


def test_without_a_contract_it_says_how_it_is_started():
    ended = subprocess.run([sys.executable, "-m", "rallypoint_trainer"], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (2, "usage: python -m rallypoint_trainer <contract.json>\n")


def test_nothing_heavy_is_imported_before_signals_are_heard():
    heavy = "{'torch', 'transformers', 'datasets'}"
    code = f"import sys, rallypoint_trainer.__main__; print({heavy} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_a_rank_dies_with_its_launcher():
    child = (
        "import time; from rallypoint_trainer.__main__ import die_with_launcher as die; die(); "
        "print('ready', flush=True); time.sleep(60)"
    )
    parent = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', sys.argv[1]]); "
        "print(child.pid, flush=True); child.wait()"
    )
    launcher = subprocess.Popen(
        [sys.executable, "-c", parent, child],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RALLYPOINT_NODE_INDEX": "0"},
    )
    with launcher:
        pid = int(launcher.stdout.readline())
        assert launcher.stdout.readline() == "ready\n"
        launcher.kill()
        end = time.monotonic() + 20
        while Path(f"/proc/{pid}").exists() and "State:\tZ" not in Path(f"/proc/{pid}/status").read_text():
            assert time.monotonic() < end, "the rank outlived its launcher"
            time.sleep(0.02)


@pytest.mark.parametrize("name", sorted({*DEFAULTS, *OURS, *REFUSED} - {"log_level_replica"}))
def test_the_page_names_every_default_and_refusal(name):
    page = Path(rallypoint_trainer.__file__).parents[2] / "docs/trainer.md"
    assert f"`{name}`" in page.read_text()
