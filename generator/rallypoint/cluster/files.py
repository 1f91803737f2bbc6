"""Which ConfigMap the pods of a living job mount: that of the release which started it."""

from __future__ import annotations

import copy
from typing import Any

from rallypoint.checks import pod_templates

Object = dict[str, Any]
Living = dict[tuple[str, str], Object]
VOLUME = "config"


def with_living_files(objects: list[Object], living: Living) -> tuple[list[Object], bool]:
    """The objects with the volume that the living pods mount, and whether that is another one.

    A newer release has another launcher, and so another ConfigMap; the same run goes on with its own.
    """
    kept, replaced = [], set()
    for item in objects:
        old = living.get((item["kind"], item["metadata"]["name"]))
        new_name, old_name = _mounted(item), _mounted(old or {})
        if old and old_name and new_name != old_name:
            replaced.add(new_name)
            item = _mounting(item, old)  # noqa: PLW2901
        kept.append(item)
    return [item for item in kept if item["metadata"]["name"] not in replaced], bool(replaced)


def _volumes(item: Object) -> list[list[Object]]:
    """The volumes of each pod template."""
    return [pod.spec.get("volumes") or [] for pod in pod_templates(item)]


def _mounted(item: Object) -> str:
    """Name of the ConfigMap that the pods mount; empty for an object without pods."""
    for volumes in _volumes(item):
        for volume in volumes:
            if volume.get("name") == VOLUME:
                return str((volume.get("configMap") or {}).get("name", ""))
    return ""


def _mounting(item: Object, old: Object) -> Object:
    """A copy of `item` with the volume of the living one."""
    sent = copy.deepcopy(item)
    for new_volumes, old_volumes in zip(_volumes(sent), _volumes(old), strict=False):
        theirs = next((volume for volume in old_volumes if volume.get("name") == VOLUME), None)
        for number, volume in enumerate(new_volumes):
            if volume.get("name") == VOLUME and theirs is not None:
                new_volumes[number] = copy.deepcopy(theirs)
    return sent
