"""Another run under a name in use: started while pods of the old one end, refused while it lives."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..cluster.kubectl import kubectl
from ..cluster.progress import wait_until
from .conftest import Start
from .kind import Kind
from .programs import HOLD, MEET, STAYS
from .release import Prepare, values
from .run import Run, job_file, rendered

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300, func_only=True)]

NEW = MEET + "tell(word='new')\n"


def wait_for_word(run: Run, word: str) -> None:
    wait_until(f"the {word} run", lambda: run.told(1).get("word") == word, 120)


def test_kubectl_starts_it_beside_pods_of_the_old_one(kind: Kind, start: Start) -> None:
    """A kubelet that still holds the old run's immutable ConfigMap must not give that to the new pods."""
    old = start(kind, f"over-{kind.name}", MEET + STAYS, nodes=2)
    wait_for_word(old, "old")
    if kind.name == "trainjob":  # else its runtime, which it holds, would go with the new one in its place
        old.kubectl("delete", "trainjob", old.name)
    old.kubectl("delete", "--filename=-", "--wait=false", "--ignore-not-found", stdin=old.text)
    ending = old.get("pods", "--selector", f"rallypoint.dev/job={old.name}")
    assert len(ending) == 2
    wait_for_word(start(kind, old.name, NEW, nodes=2), "new")


def test_helm_starts_it_beside_pods_of_the_old_one(kind: Kind, prepare: Prepare) -> None:
    release = prepare(kind, f"next-{kind.name}")
    release.install(values(kind, MEET + STAYS, nodes=2))
    wait_for_word(release.run, "old")
    release.helm_or_fail("uninstall", release.run.name)
    assert len(release.run.get("pods", "--selector", f"rallypoint.dev/job={release.run.name}")) == 2
    release.install(values(kind, NEW, nodes=2))
    wait_for_word(release.run, "new")


def test_kubectl_is_refused_it_while_the_old_one_lives(kind: Kind, start: Start, tmp_path: Path) -> None:
    run = start(kind, f"keep-{kind.name}", MEET + HOLD, nodes=2)
    run.wait_for_ranks(2)
    text = rendered(kind.name, job_file(run.name, NEW, nodes=2), tmp_path)
    ended = kubectl("apply", "--filename=-", "--namespace", run.namespace, stdin=text)
    assert ended.returncode == 1
    assert f'"{run.name}-config" is invalid: data: Forbidden: field is immutable' in ended.stderr
    run.let_go()
    run.wait_until_done()
