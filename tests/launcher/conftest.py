"""Simulated pods for the launcher's tests, and the table of faults as seen (RALLYPOINT_FAULT_TABLE names
its file)."""

import os
import time
from pathlib import Path

import pytest

from launcher.network import Network, isolated
from launcher.sim import Sim

MOST_PODS = 13


@pytest.fixture(scope="session")
def network():
    """The namespaces of the pods; None where there can be none."""
    if not isolated():
        yield None
        return
    found = Network(MOST_PODS)
    yield found
    found.close()


@pytest.fixture
def namespaces(network):
    if network is None:
        pytest.skip("needs network namespaces (root on Linux, with ip and unshare)")
    return network


@pytest.fixture
def make(network, tmp_path):
    """Makes a job of simulated pods that is ended with the test."""
    made = []

    def make_sim(folder="sim", **more):
        more.setdefault("on", network)
        sim = Sim(tmp_path / folder, more.pop("on"), **more)
        made.append(sim)
        return sim

    yield make_sim
    for sim in made:
        sim.close()


@pytest.fixture
def saw(request):
    """Notes what was seen, for the table of faults."""
    began, rows = time.time(), []
    yield lambda text, seconds=None: rows.append((text, seconds))
    table = os.environ.get("RALLYPOINT_FAULT_TABLE")
    passed = getattr(request.node, "passed", False)
    if not table:
        return
    for text, seconds in rows or [("", None)]:
        shown = f"{time.time() - began:.1f}" if seconds is None else f"{seconds:.1f}"
        with Path(table).open("a") as file:
            name = request.node.name.removeprefix("test_").replace("_", " ")
            file.write(f"| {name} | {text} | {shown} | {'ok' if passed else 'FAILED'} |\n")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        item.passed = report.passed
    return report
