"""The objects of a job, printed, parsed back, patched and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ruamel.yaml import YAML

from rallypoint.checks import check
from rallypoint.errors import InputError
from rallypoint.podview import View, view
from rallypoint.render import yaml
from rallypoint.render.engine import printed
from rallypoint.render.patch import patched
from rallypoint.spec import Job

Object = dict[str, Any]


def render(job: Job, scripts: Mapping[str, str]) -> list[Object]:
    """The objects of `job` in apply order: two ConfigMaps, a TrainJob's runtime, claims, endpoint Service,
    NetworkPolicy, workload.

    The operator hears of a runtime with a delay, and refuses its TrainJob until then: so it comes early.

    `scripts` holds the text of each shipped file by relative path, `inline.py` for an inline script.
    The immutable contract comes first, so that a changed run under a living name changes nothing else.

    Raises: InputError when the job cannot go to a cluster as it stands, with every reason.
    """
    decided = view(job, scripts)
    objects = [item for template in _templates(decided) for item in _parsed(printed(template, decided))]
    objects[0]["data"], objects[1]["data"] = decided.objects.config_data, decided.objects.files_data
    objects = [patched(item, decided) for item in objects]
    findings = check(objects)
    if findings:
        raise InputError("\n".join(map(str, findings)))
    return objects


def _templates(decided: View) -> list[str]:
    kind = decided.objects.kind
    runtime = ["trainingruntime"] if kind == "trainjob" else []
    policy = ["networkpolicy"] if decided.objects.policy else []
    return ["config", "files", *runtime, "claims", "service", *policy, kind]


def _parsed(text: str) -> list[Object]:
    """Every document in `text`, read as YAML 1.2."""
    return [item for item in YAML(typ="safe", pure=True).load_all(text) if item is not None]


def to_yaml(objects: Iterable[Object]) -> str:
    """The objects as the documents that `kubectl apply -f -` takes."""
    return "".join(f"---\n{yaml.to_yaml(item, blocks=True)}\n" for item in objects)
