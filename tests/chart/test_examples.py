"""The chart prints what `rallypoint render` prints, for every example and kind."""

import pytest

from chart.helm import ROOT
from chart.twin import chart_differs, helm_on, rendered

EXAMPLES = sorted((ROOT / "examples").glob("*/job.yaml"))
KINDS = ("job", "statefulset", "pytorchjob", "jobset", "trainjob")


def test_examples_are_found():
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_an_example_gives_the_same_objects_as_render(path, kind):
    sets = [f"kind={kind}"]
    if kind == "statefulset" and path.parent.name == "minimal":
        sets.append("output.pvc=minimal-output")  # the only kind that must remember its end
    expected, text = rendered(path, sets)
    assert chart_differs(expected, helm_on(text)) == []


def test_the_name_is_the_releases_when_the_values_have_none():
    path = ROOT / "examples/minimal/job.yaml"
    expected, _ = rendered(path, ["name=other"])
    text = path.read_text().replace("\nname: minimal\n", "\n")
    assert chart_differs(expected, helm_on(text, release="other")) == []
