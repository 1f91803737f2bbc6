"""manifests/ is what the examples render to, and what kubectl reads."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rallypoint.errors import SpecError
from rallypoint.loading import load
from random_specs import KINDS
from render.cases import EXAMPLES, REFUSED, ROOT

MANIFESTS = sorted(ROOT.glob("manifests/*/*.yaml"))


def test_the_gallery_is_fresh():
    command = [sys.executable, "tools/manifests.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_changed_manifest_is_seen(tmp_path):
    sys.path.insert(0, str(ROOT / "tools"))
    import manifests

    stale = manifests.stale({ROOT / "manifests/README.md": "other", ROOT / "manifests/new.yaml": ""})
    assert {"manifests/README.md", "manifests/new.yaml", "manifests/mrpc/job.yaml"} <= set(stale)


def test_there_is_a_manifest_for_each_example_and_kind_that_takes_it():
    assert {path.relative_to(ROOT / "manifests") for path in MANIFESTS} == {
        Path(case.name) / f"{case.kind}.yaml" for case in EXAMPLES
    }
    assert {case.kind for case in EXAMPLES} == set(KINDS)


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_manifest_fits_a_client_side_apply(path):
    largest = max(len(yaml.dump(item)) for item in yaml.load_all(path.read_text(), yaml.CSafeLoader))
    assert largest < 262_144


@pytest.mark.parametrize(("name", "kind"), sorted(REFUSED))
def test_a_kind_that_an_example_cannot_have_says_why(name, kind):
    with pytest.raises(SpecError, match="output: "):
        load([ROOT / f"examples/{name}/job.yaml"], [f"kind={kind}"], cluster=True)
