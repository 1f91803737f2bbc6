"""The chart as helm prints it: the real helm, no cluster."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts/rallypoint"
KUBERNETES = "1.34.0"
"""A helm that was built from its module claims Kubernetes 1.20 when there is no cluster."""


class Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: 1.1, and numbers with an exponent need no point."""


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9.]+[eE][-+]?[0-9]+$"), list("-+0123456789.")
)
for tag in ("merge", "value"):
    # `<<` and `=` as values are text; helm and kubectl write and read them bare
    Loader.add_constructor(f"tag:yaml.org,2002:{tag}", lambda loader, node: node.value)


@cache
def helm() -> str:
    """Path of helm: on PATH, or as the cluster tests have built it; else the test is skipped."""
    found = shutil.which("helm")
    if found:
        return found
    cache_folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rallypoint/cluster"
    built = sorted(cache_folder.glob("helm-*/helm"))
    if built:
        return str(built[-1])
    pytest.skip("there is no helm on PATH, nor one built by `python -m tests.cluster build`")


def run_helm(*arguments, given=None):
    """What `helm <arguments>` ended with; `given` is its standard input."""
    return subprocess.run(
        [helm(), *map(str, arguments)], input=given, capture_output=True, text=True, timeout=120, check=False
    )


def template(values, *options, release="release", chart=CHART):
    """`helm template` on a job file's text, ended."""
    files = ["-f", "-"] if values is not None else []
    return run_helm("template", release, chart, "--kube-version", KUBERNETES, *files, *options, given=values)


def objects(text, hooks=("pre-install",)):
    """The objects in helm's output, those of other hooks than the given aside."""
    found = [item for item in yaml.load_all(text, Loader) if item]
    return [item for item in found if hook(item) is None or hook(item) in hooks]


def hook(item):
    """The hook that the object is for; None for an ordinary object."""
    return (item["metadata"].get("annotations") or {}).get("helm.sh/hook")
