"""Rules on containers: names, mounts, devices, memory, rights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from rallypoint.checks.finding import Fault, Object
from rallypoint.checks.pod_template import PodTemplate, all_pods, mapping, of_kind, sequence
from rallypoint.quantity import quantity

SHM = "/dev/shm"  # noqa: S108 - the path inside the pod


def amount(value: Any) -> Decimal | None:
    """A quantity's number; None for what is none."""
    try:
        return quantity(str(value))
    except ValueError:
        return None


def container_names_are_unique(objects: Sequence[Object]) -> Iterator[Fault]:
    """Over containers and init containers together."""
    for pod in all_pods(objects):
        names = [str(container.get("name")) for _, container in pod.all_containers]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield pod.fault("containers", f"two containers are named {name!r}; rename one")


def mounts_have_volumes(objects: Sequence[Object]) -> Iterator[Fault]:
    """Each mount names a volume of the pod, or a claim template of its StatefulSet."""
    templates = {
        str(mapping(claim, "metadata").get("name"))
        for item in of_kind(objects, "StatefulSet")
        for claim in sequence(mapping(item, "spec"), "volumeClaimTemplates")
    }
    for pod in all_pods(objects):
        known = {volume.get("name") for volume in sequence(pod.spec, "volumes")} | templates
        for path, container in pod.all_containers:
            for number, mount in enumerate(sequence(container, "volumeMounts")):
                if mount.get("name") not in known:
                    text = f"there is no volume {mount.get('name')!r}; add it to volumes"
                    yield pod.fault(f"{path}.volumeMounts[{number}].name", text)


def mounts_do_not_collide(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses two mounts at one path, and a path with a colon."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            seen: set[str] = set()
            for number, mount in enumerate(sequence(container, "volumeMounts")):
                place = str(mount.get("mountPath"))
                where = f"{path}.volumeMounts[{number}].mountPath"
                if place in seen:
                    yield pod.fault(where, f"{place!r} is mounted twice; choose another path")
                if ":" in place:
                    yield pod.fault(where, f"may not have a ':' in it (got {place!r}); choose another path")
                seen.add(place)


def volume_names_are_unique(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses two volumes with one name."""
    for pod in all_pods(objects):
        names = [str(volume.get("name")) for volume in sequence(pod.spec, "volumes")]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield pod.fault("volumes", f"two volumes are named {name!r}; rename one")


def devices(container: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Request and limit of each extended resource, None where it is not given."""
    requests = mapping(container, "resources", "requests")
    limits = mapping(container, "resources", "limits")
    return {name: (requests.get(name), limits.get(name)) for name in {**requests, **limits} if "/" in name}


def devices_have_equal_requests_and_limits(objects: Sequence[Object]) -> Iterator[Fault]:
    """An extended resource cannot be overcommitted; a limit alone is its own request."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            for name, (request, limit) in devices(container).items():
                where = f"{path}.resources"
                if limit is None:
                    text = f"{name} has a request ({request}) without a limit; give the same limit"
                    yield pod.fault(where, text)
                elif request is not None and amount(request) != amount(limit):
                    text = f"{name} has request {request} and limit {limit}; make them the same"
                    yield pod.fault(where, text)
                elif (number := amount(limit)) is None or number != number.to_integral_value():
                    text = f"{name} must be a whole number (got {limit}); devices cannot be split"
                    yield pod.fault(where, text)


def requests_fit_their_limits(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses a request above its limit."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            limits = mapping(container, "resources", "limits")
            for name, request in mapping(container, "resources", "requests").items():
                low, high = amount(request), amount(limits.get(name))
                if "/" not in name and low is not None and high is not None and low > high:
                    text = f"{name} has request {request} above its limit {limits[name]}"
                    yield pod.fault(f"{path}.resources", f"{text}; raise the limit")


def shm_volume(pod: PodTemplate, container: dict[str, Any]) -> dict[str, Any] | None:
    """The emptyDir mounted at /dev/shm; None where there is none."""
    names = [m.get("name") for m in sequence(container, "volumeMounts") if m.get("mountPath") == SHM]
    found = [volume for volume in sequence(pod.spec, "volumes") if volume.get("name") in names]
    return mapping(found[0], "emptyDir") if found else None


def shm_fits_into_memory(objects: Sequence[Object]) -> Iterator[Fault]:
    """A memory-backed volume counts as the container's memory: filling it would be an out-of-memory kill."""
    for pod in all_pods(objects):
        for path, container in pod.containers:
            size = amount((shm_volume(pod, container) or {}).get("sizeLimit"))
            memory = amount(mapping(container, "resources", "limits").get("memory"))
            if size is not None and memory is not None and size > memory:
                text = (
                    f"{SHM} may grow to {size} bytes, above the memory limit of {memory}; lower its sizeLimit"
                )
                yield pod.fault(path, text)


def escalation_agrees_with_privilege(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses `allowPrivilegeEscalation: false` beside what is full privilege."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            context = mapping(container, "securityContext")
            added = sequence(mapping(context, "capabilities"), "add")
            full = context.get("privileged") is True or "CAP_SYS_ADMIN" in added
            if full and context.get("allowPrivilegeEscalation") is False:
                text = "cannot be false for a privileged container; leave it out"
                yield pod.fault(f"{path}.securityContext.allowPrivilegeEscalation", text)
