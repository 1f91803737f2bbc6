"""The ways to the cluster: names, values from several places, packages, registries, subcharts, kubectl."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ..cluster.kubectl import kubectl
from ..cluster.progress import wait_until
from .image import PYTHON_IMAGE
from .kind import BY_NAME, Kind
from .programs import HOLD, MEET, VERBATIM
from .registry import registry
from .release import CHART, Prepare, Release, values
from .run import CLAIM
from .space import Space, contents

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600, func_only=True)]

TELL = f"{MEET}tell()\n"
LONGEST_RELEASE = 53
"""helm's own limit of a release's name."""


def test_two_releases_live_in_one_namespace(prepare: Prepare) -> None:
    one, two = prepare(BY_NAME["job"], "one"), prepare(BY_NAME["pytorchjob"], "two")
    for release in (one, two):
        release.install(values(release.run.kind, MEET + HOLD, nodes=2))
    for release in (one, two):
        release.run.wait_for_ranks(2)
        assert release.test()[0]
    one.uninstall()
    two.run.let_go()
    two.run.wait_until_done()
    assert two.run.told(1)["master"] == "two-rdzv"


def test_a_release_name_of_53_letters_runs_or_is_refused(
    kind: Kind,
    space: Space,
    prepare: Prepare,
) -> None:
    before = contents(space.namespace)
    release = prepare(kind, kind.name.ljust(LONGEST_RELEASE, "n"))
    given = values(kind, TELL, nodes=2)
    if kind.name in ("job", "pytorchjob"):
        release.install(given)
        release.run.wait_until_done()
        assert release.test()[0]
        return
    result = release.send("install", given)
    assert result.returncode == 1
    assert "name: has 53 letters, but a " in result.stderr
    assert contents(space.namespace) == before


def test_values_come_from_files_flags_and_a_script_on_disk(prepare: Prepare, tmp_path: Path) -> None:
    release = prepare(BY_NAME["job"], "sources")
    (tmp_path / "train.py").write_text(MEET + VERBATIM)
    team = tmp_path / "team.yaml"
    team.write_text(json.dumps({"output": {"pvc": CLAIM}, "env": {"AWKWARD_0": "team", "AWKWARD_1": "team"}}))
    release.options = ["--values", str(team), "--set", "nodes=2,env.AWKWARD_2=set"]
    release.options += ["--set-file", f"script.inline={tmp_path / 'train.py'}"]
    release.helm_or_fail("lint", "--strict", str(CHART), *release.options)
    notes = release.install({"image": PYTHON_IMAGE, "env": {"AWKWARD_1": "own"}}, "--values", str(team))
    assert "job sources: 2 nodes" in notes
    release.run.wait_until_done()
    assert release.run.told(1)["given"] == {"AWKWARD_0": "team", "AWKWARD_1": "team", "AWKWARD_2": "set"}


def test_what_values_prints_of_layered_files_installs(prepare: Prepare, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "train.py").write_text(f"import lib.word\n{MEET}tell(word=lib.word.WORD)\n")
    (tmp_path / "lib/word.py").write_text("WORD = 'shipped'\n")
    team, job = tmp_path / "team.yaml", tmp_path / "job.yaml"
    team.write_text(json.dumps({"output": {"pvc": CLAIM}, "image": "none", "nodes": 1}))
    script = {"file": "train.py", "files": ["lib/word.py"]}
    job.write_text(json.dumps({"name": "layered", "script": script, "image": PYTHON_IMAGE}))
    command = [sys.executable, "-m", "rallypoint", "values", str(team), str(job), "--set", "nodes=2"]
    printed = subprocess.run(command, capture_output=True, text=True)
    assert printed.returncode == 0, printed.stderr
    release = prepare(BY_NAME["job"], "layered")
    (tmp_path / "printed.yaml").write_text(printed.stdout)
    release.install({}, "--values", str(tmp_path / "printed.yaml"))
    release.run.wait_until_done()
    assert release.run.told(1)["word"] == "shipped"


@pytest.mark.parametrize("name", ["job", "trainjob"])
def test_template_and_kubectl_need_no_helm_on_the_cluster(
    name: str,
    space: Space,
    prepare: Prepare,
) -> None:
    before = contents(space.namespace)
    release = prepare(BY_NAME[name], f"piped-{name}")
    run = release.run
    given = values(run.kind, TELL, nodes=2)
    # helm was built from its module here and does not know how new a Kubernetes it is for
    options = ("--skip-tests", "--kube-version", "1.34.0")
    text, again = (release.sent("template", given, *options) for _ in range(2))
    assert text == again
    apply = ("apply", "--server-side", "--filename=-", "--namespace", run.namespace)
    first = kubectl(*apply, stdin=text)
    if name == "trainjob":  # its runtime comes after it
        assert first.returncode == 1
        first = kubectl(*apply, stdin=text)
    assert first.returncode == 0, first.stderr
    run.wait_until_done()
    run.text = text
    run.kubectl("delete", "--filename=-", "--ignore-not-found", "--timeout=60s", stdin=text)
    wait_until("everything to go", lambda: contents(space.namespace) <= before, 60)


def test_a_package_from_a_registry_installs(prepare: Prepare, tmp_path: Path) -> None:
    release = prepare(BY_NAME["job"], "pulled")
    release.helm_or_fail("package", str(CHART), "--destination", str(tmp_path))
    (package,) = tmp_path.glob("rallypoint-*.tgz")
    with registry(tmp_path) as address:
        pushed = release.helm("push", str(package), f"oci://{address}/charts", "--plain-http")
        assert pushed.returncode == 0, pushed.stderr
        release.chart = f"oci://{address}/charts/rallypoint"
        release.options = ["--plain-http", "--version", package.stem.removeprefix("rallypoint-")]
        release.install(values(release.run.kind, TELL, nodes=2))
    release.run.wait_until_done()


def parent(folder: Path) -> Path:
    """A chart that depends on ours."""
    chart = folder / "parent"
    chart.mkdir()
    needs = {"name": "rallypoint", "version": ">=0", "repository": f"file://{CHART}"}
    about = {"apiVersion": "v2", "name": "parent", "version": "1.0.0", "dependencies": [needs]}
    (chart / "Chart.yaml").write_text(json.dumps(about))
    return chart


@pytest.mark.parametrize("name", ["statefulset", "trainjob"])
def test_a_chart_that_depends_on_it_installs_and_goes(
    name: str,
    space: Space,
    prepare: Prepare,
    tmp_path: Path,
) -> None:
    before = contents(space.namespace)
    release = prepare(BY_NAME[name], f"sub-{name}", parent(tmp_path))
    release.helm_or_fail("dependency", "build", str(release.chart))
    inner = values(release.run.kind, MEET + HOLD, nodes=2)
    release.install({"rallypoint": inner, "global": {"x": 1}})
    release.run.wait_for_ranks(2)
    refused = release.send("upgrade", {"rallypoint": {**inner, "nodes": 3}})
    assert "another run lives under it" in refused.stderr
    release.upgrade({"rallypoint": {**inner, "labels": {"team": "b"}}})
    assert release.test()[0]
    release.run.let_go()
    release.run.wait_until_done()
    release.uninstall()
    wait_until("everything to go", lambda: contents(space.namespace) <= before, 60)


def kept_claim(release: Release) -> dict[str, str]:
    shown = release.run.kubectl("get", "pvc", "made", "--output=jsonpath={.metadata.annotations}")
    return dict(json.loads(shown))


def test_a_claim_outlives_its_release_and_serves_the_next_of_that_name(
    space: Space,
    prepare: Prepare,
) -> None:
    before = contents(space.namespace)
    release = prepare(BY_NAME["job"], "claims")
    given = values(release.run.kind, TELL, nodes=1, suspend=True, output={"pvc": "made", "size": "1Gi"})
    assert "delete pvc made" in release.install(given)
    assert "[PersistentVolumeClaim] made" in release.uninstall()
    assert contents(space.namespace) - before == {"persistentvolumeclaim/made"}
    assert kept_claim(release)["helm.sh/resource-policy"] == "keep"
    other = prepare(BY_NAME["job"], "claims-2").send("install", given)
    assert "cannot be imported into the current release" in other.stderr
    release.install(given)
    release.uninstall()
    release.run.kubectl("delete", "pvc", "made", "--timeout=30s")
    assert contents(space.namespace) <= before
