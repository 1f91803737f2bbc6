"""Another run under a name in use: started while pods of the old one end, refused while it lives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..cluster.kubectl import kubectl
from ..cluster.progress import wait_until
from .conftest import Start
from .kind import BY_NAME, Kind
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
    assert (ended.stderr.count("field is immutable") > 1) == (kind.name in ("job", "jobset")), ended.stderr
    run.let_go()
    run.wait_until_done()


@pytest.mark.parametrize("name", ["pytorchjob", "statefulset"])
def test_a_pod_of_it_that_kubectl_has_let_in_says_so(name: str, start: Start, tmp_path: Path) -> None:
    """kubectl goes on after a refusal, and these kinds take the change for pods that are replaced later."""
    kind = BY_NAME[name]
    run = start(kind, f"mixed-{name}", MEET + HOLD, nodes=2)
    run.wait_for_ranks(2)
    text = rendered(name, job_file(run.name, NEW, nodes=2), tmp_path)
    kubectl("apply", "--filename=-", "--namespace", run.namespace, stdin=text)
    old = run.pods()[1]
    run.kubectl("delete", "pod", str(old["metadata"]["name"]))

    def told() -> bool:
        new = run.pods().get(1, old)
        return new["metadata"]["uid"] != old["metadata"]["uid"] and "belongs to another job" in log_of(
            run, new
        )

    wait_until("the new pod to say whose endpoint that is", told, 120)


def log_of(run: Run, pod: dict[str, Any]) -> str:
    """Empty while there is none."""
    return kubectl("logs", str(pod["metadata"]["name"]), "--namespace", run.namespace).stdout
