"""What the chart and the command line make of the same job, side by side."""

import atexit
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from chart.helm import CHART, objects, template
from rallypoint.errors import InputError
from rallypoint.loading import load, values
from rallypoint.podview.config import launcher_files
from rallypoint.render import render, to_yaml

INSTALLED = "rallypoint.dev/installed"
"""What the chart notes for its upgrades."""

INSIDE = """\
{{- if .Values.global }}
kind: Inside
metadata: {name: inside}
view: {{ include "rallypoint.view" . | fromJson | toJson }}
notes: {{ include (print .Template.BasePath "/NOTES.txt") . | toJson }}
{{- end }}
"""


@cache
def fresh_chart():
    """A copy of the chart with today's launcher, and with the view and the notes to print on demand.

    Whether the launcher in the real chart is fresh is a test of its own.
    """
    folder = Path(mkdtemp(prefix="rallypoint-chart-")) / "rallypoint"
    atexit.register(shutil.rmtree, folder.parent)
    shutil.copytree(CHART, folder)
    for old in (folder / "files/launcher").glob("*.py"):
        old.unlink()
    for name, text in launcher_files().items():
        (folder / "files/launcher" / name).write_text(text)
    (folder / "templates/inside.yaml").write_text(INSIDE)
    return folder


def rendered(path, sets=()):
    """The objects that the command line makes, and the values that it hands to the chart.

    Raises: InputError as the command line does.
    """
    loaded = load([path], sets, cluster=True)
    return render(loaded.job, loaded.scripts), to_yaml([values(loaded)])


def refused(path, sets=()):
    """The command line's problems as `key: text`; empty when it takes the job."""
    try:
        rendered(path, sets)
    except InputError as error:
        if hasattr(error, "problems"):
            return [": ".join(part for part in (item.key, item.text) if part) for item in error.problems]
        return str(error).splitlines()
    return []


def same(item):
    """The object without what may differ: notes for helm, the order of variables, the contract's layout.

    Values files are maps without an order, so the chart sorts the variables by name. No order can matter: our
    values never refer to each other, a `$` is doubled.
    """
    item = json.loads(json.dumps(item))
    notes = item["metadata"].get("annotations", {})
    kept = {key: text for key, text in notes.items() if not key.startswith(("helm.sh/", INSTALLED))}
    item["metadata"].pop("annotations", None)
    if kept:
        item["metadata"]["annotations"] = kept
    if item["kind"] == "ConfigMap":
        item["data"]["contract.json"] = json.loads(item["data"]["contract.json"])
    return in_order(item)


def in_order(value):
    """`value` with the list of our container's variables by name."""
    if isinstance(value, list):
        return [in_order(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: in_order(item) for key, item in value.items()}
    env = found.get("env")
    if isinstance(env, list) and env[:1] and env[0].get("name") == "RALLYPOINT_NODE_INDEX":
        found["env"] = sorted(env, key=lambda entry: entry["name"])
    return found


def identity(item):
    """Kind and name."""
    return f"{item['kind']} {item['metadata']['name']}"


def differences(ours, theirs, path=""):
    """Every place in which two values differ, in words; a boolean is no number, 1.0 is 1."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = [f"{path}.{key}: helm alone has it" for key in theirs if key not in ours]
        found += [f"{path}.{key}: render alone has it" for key in ours if key not in theirs]
        both = [key for key in ours if key in theirs]
        return found + [text for key in both for text in differences(ours[key], theirs[key], f"{path}.{key}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [text for number, (a, b) in pairs for text in differences(a, b, f"{path}[{number}]")]
    numbers = {type(ours), type(theirs)} <= {int, float}
    if ours == theirs and (numbers or type(ours) is type(theirs)):
        return []
    return [f"{path}: render {str(ours)[:200]!r}, helm {str(theirs)[:200]!r}"]


def chart_differs(expected, result):
    """In what helm's output differs from the expected objects, in words."""
    if result.returncode:
        return [result.stderr[:3000]]
    return differences(
        {identity(item): same(item) for item in expected},
        {identity(item): same(item) for item in objects(result.stdout)},
    )


def helm_on(text, *options, release="release"):
    """`helm template` of the fresh chart on the values."""
    return template(text, *options, release=release, chart=fresh_chart())


def inside(text, *options, release="release"):
    """The chart's view, and its notes, for the values."""
    result = helm_on(text, "--set", "global.inside=true", *options, release=release)
    assert result.returncode == 0, result.stderr
    item = next(item for item in objects(result.stdout) if item["kind"] == "Inside")
    return item["view"], item["notes"]


def problems(result):
    """The lines `key: text` of a refusal by the templates; the schema's words stay helm's own."""
    assert result.returncode != 0, result.stdout[:500]
    if "specifications of the schema" in result.stderr:
        return ["schema"]
    _, found, text = result.stderr.partition("the job cannot be installed as it stands:\n")
    assert found, result.stderr[:3000]
    return text.partition("\n\nUse --debug")[0].splitlines()
