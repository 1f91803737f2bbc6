"""The example trains on three pods of each kind, to the very numbers of a run on one machine.

The command line applies it, waits for it and deletes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ..cluster.progress import wait_until
from .kind import Kind
from .space import Space, contents
from .training_fixtures import EACH, MRPC, Train
from .training_job import EXAMPLE
from .training_result import TOLERANCE, Result, difference
from .training_run import TrainingRun

RENDEZVOUS = 29400
"""The port of the store, which node 0 hosts."""

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900, func_only=True)]


def identities(run: TrainingRun) -> set[tuple[str, ...]]:
    """From inside every pod: user, group, and what comes of writing to the root."""
    code = (
        "import os\n"
        "def writable(path):\n"
        "    try:\n"
        "        open(path, 'w')\n"
        "    except OSError as error:\n"
        "        return error.strerror\n"
        "    return 'writable'\n"
        "print(os.getuid(), os.getgid(), writable('/opt/x'), sep='|')"
    )
    return {tuple(run.python(index, code).strip().split("|")) for index in run.pods()}


def said_ranks(run: TrainingRun) -> list[str]:
    """The first line of each pod's log, in node order."""
    return [run.log(pod).splitlines()[0] for _, pod in sorted(run.pods().items())]


@pytest.mark.parametrize("kind", EACH)
def test_the_example_trains_to_the_numbers_of_a_local_run(
    kind: Kind,
    trainings: Space,
    train: Train,
    mrpc_here: Result,
    figure: Callable[..., None],
) -> None:
    before = contents(trainings.namespace)
    run = train(kind, f"mrpc-{kind.name}", EXAMPLE, *MRPC, typed=True)
    run.wait_for_start(1)
    assert run.endpoints() == [run.pods()[0]["status"]["podIP"]]
    assert [index for index in range(3) if RENDEZVOUS in run.ports(index)] == [0]
    assert identities(run) == {("12345", "0", "Read-only file system")}
    run.verb("wait", run.name, "--timeout", "300s")
    assert len(run.starts()) == 1
    for index, line in enumerate(said_ranks(run)):
        assert f"rank {index} of 3, node {index} of 3" in line
    found = run.result()
    assert len(found.logged()) == 12
    apart = difference(found.logged(), mrpc_here.logged())
    metrics_apart = difference(found.final(), mrpc_here.final())
    figure("the example", kind=kind.name, apart=apart, metrics_apart=metrics_apart)
    assert apart <= TOLERANCE
    assert metrics_apart <= TOLERANCE
    run.verb("delete", run.name)
    wait_until("everything to go", lambda: contents(trainings.namespace) <= before, 60)
    assert json.loads((run.folder / "done.json").read_text())["name"] == run.name
    assert (run.folder / "model" / "config.json").exists()
