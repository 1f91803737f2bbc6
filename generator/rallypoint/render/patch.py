"""Merge patches on the pod that was printed.

Source: RFC 7386, JSON Merge Patch.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from rallypoint.checks import pod_templates
from rallypoint.podview import View


def merged(target: Any, patch: Any) -> Any:
    """`target` with `patch` on it: mappings merge, null removes a key, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def patched(item: dict[str, Any], decided: View) -> dict[str, Any]:
    """`item` with the job's patches on its pod, if it holds one; the training container is the first."""
    if not (decided.pod.pod_patch or decided.container.container_patch):
        return item
    result = deepcopy(item)
    for pod in pod_templates(result):
        spec = merged(pod.template["spec"], decided.pod.pod_patch)
        spec["containers"][0] = merged(spec["containers"][0], decided.container.container_patch)
        pod.template["spec"] = spec
    return result
