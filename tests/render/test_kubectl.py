"""kubectl, whose YAML is 1.1 and whose types are Kubernetes' own, reads what was rendered."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from rallypoint.render import to_yaml
from render.cases import WRITTEN

KUBECTL = shutil.which("kubectl")


def read_by_kubectl(text: str) -> list[dict[str, Any]]:
    command = [KUBECTL, "label", "--local", "-f", "-", "read=yes", "-o", "json"]
    shown = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.strip()
    found, decoder = [], json.JSONDecoder()
    while shown:
        item, end = decoder.raw_decode(shown)
        found.append(item)
        shown = shown[end:].lstrip()
    return [inner for item in found for inner in item.get("items", [item])]


def lost(read: Any, written: Any, path: str = "") -> list[str]:
    """What `written` has and `read` does not; kubectl adds empty fields and drops them."""
    if isinstance(written, dict) and isinstance(read, dict):
        pairs = [
            (read.get(key), item, f"{path}.{key}") for key, item in written.items() if key in read or item
        ]
        return [loss for pair in pairs for loss in lost(*pair)]
    if isinstance(written, list) and isinstance(read, list) and len(written) == len(read):
        return [loss for pair in zip(read, written, strict=True) for loss in lost(*pair, path)]
    return [] if read == written else [f"{path}: {written!r} became {read!r}"]


@pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on PATH")
@pytest.mark.parametrize("case", WRITTEN, ids=lambda case: case.id)
def test_kubectl_reads_what_was_rendered(case):
    read = read_by_kubectl(to_yaml(case.objects))
    assert len(read) == len(case.objects)
    assert [loss for pair in zip(read, case.objects, strict=True) for loss in lost(*pair)] == []


def test_a_loss_is_seen():
    assert lost({"a": [{"b": 1}]}, {"a": [{"b": "1"}]}) == [".a.b: '1' became 1"]
