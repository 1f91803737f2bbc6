"""Moving an old output aside before a run starts over: by a pod of the job's own image, user and volumes.

Only such a pod is sure to see the output. It renames within the volume, so it takes no time and no room;
nothing is deleted.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.pod import pod_of
from rallypoint.cluster.resource import POD
from rallypoint.errors import RallypointError

Object = dict[str, Any]
SECONDS = 600  # an image of several GB may have to be pulled
LOOK_SECONDS = 0.5
KEPT_RESOURCES = {"cpu": "100m", "memory": "128Mi"}
PROGRAM = """\
import os, sys
folder, whole = sys.argv[1], sys.argv[2] == "all"
old = [folder] if whole else [os.path.join(folder, "failed.json")]
for path in old:
    if os.path.exists(path):
        stem, end = (path, "") if whole else (path[: -len(".json")], ".json")
        number = next(n for n in range(1, 1000000) if not os.path.exists(f"{stem}.{n}{end}"))
        os.rename(path, f"{stem}.{number}{end}")
        told = f"{path} is now {stem}.{number}{end}"
        print(told)
        open("/dev/termination-log", "w").write(told)
"""
"""Standard library only: it runs in any image that the launcher runs in."""


def mover(template: Object, name: str, namespace: str, whole: bool) -> Object:
    """The pod that moves the job's output (or only the mark of its failure) aside.

    `template` is the rendered pod template: same image, user, volumes and place, no device, no queue.
    """
    spec = copy.deepcopy(template["spec"])
    training = spec["containers"][0]
    output = [mount for mount in training["volumeMounts"] if mount["mountPath"] == "/output"]
    volumes = {mount["name"] for mount in output}
    training = {
        "name": "aside",
        "image": training["image"],
        **({"imagePullPolicy": training["imagePullPolicy"]} if "imagePullPolicy" in training else {}),
        "command": ["python3", "-c", PROGRAM, f"/output/{name}", "all" if whole else "failure"],
        "securityContext": training["securityContext"],
        "resources": {"requests": KEPT_RESOURCES, "limits": KEPT_RESOURCES},
        "volumeMounts": output,
    }
    kept = {key: spec[key] for key in _KEPT if key in spec}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{name}-aside",
            "namespace": namespace,
            "labels": {"app.kubernetes.io/name": "rallypoint", "app.kubernetes.io/component": "aside",
                       "sidecar.istio.io/inject": "false"},
        },
        "spec": {
            **kept,
            "restartPolicy": "Never",
            "containers": [training],
            "volumes": [one for one in spec["volumes"] if one["name"] in volumes],
        },
    }  # fmt: skip


_KEPT = (
    "securityContext", "serviceAccountName", "automountServiceAccountToken", "imagePullSecrets",
    "nodeSelector",    "tolerations", "affinity", "priorityClassName", "enableServiceLinks",
)  # fmt: skip


_TEMPLATED = {"Job", "StatefulSet", "PyTorchJob", "JobSet", "TrainingRuntime"}


def pod_template(objects: list[Object]) -> Object:
    """The pod template of rendered objects, of any kind."""
    item = next(one for one in objects if one["kind"] in _TEMPLATED)
    spec = item["spec"]
    if item["kind"] == "PyTorchJob":
        return dict(spec["pytorchReplicaSpecs"]["Worker"]["template"])
    if item["kind"] == "TrainingRuntime":
        spec = spec["template"]["spec"]
    if "replicatedJobs" in spec:
        spec = spec["replicatedJobs"][0]["template"]["spec"]
    return dict(spec["template"])


def move_aside(
    cluster: Cluster,
    namespace: str,
    objects: list[Object],
    name: str,
    *,
    whole: bool,
    tell: Callable[[str], None],
) -> None:
    """Returns when the output, or the mark of its failure, is moved; the pod is gone then.

    Raises: RallypointError when the pod fails or does not come to its end.
    """
    pod = mover(pod_template(objects), name, namespace, whole)
    own = pod["metadata"]["name"]
    cluster.delete(POD, own, namespace)
    _gone(cluster, namespace, own)
    cluster.create(POD, pod, namespace)
    try:
        told = _outcome(cluster, namespace, own)
        if told:
            tell(told)
    finally:
        cluster.delete(POD, own, namespace)
    _gone(cluster, namespace, own)


def _gone(cluster: Cluster, namespace: str, name: str) -> None:
    until = time.monotonic() + SECONDS
    while cluster.get(POD, name, namespace) is not None and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)


def _outcome(cluster: Cluster, namespace: str, name: str) -> str:
    """What the pod says that it has moved; empty when there was nothing."""
    until = time.monotonic() + SECONDS
    why = "it did not start"
    while time.monotonic() < until:
        item = cluster.get(POD, name, namespace)
        if item is None:
            raise RallypointError(
                f"pod {name}: was deleted before it had moved the old output aside; try again"
            )
        pod = pod_of(item)
        why = pod.why or pod.phase
        if pod.phase == "succeeded":
            return pod.ended.message if pod.ended and "is now" in pod.ended.message else ""
        if pod.phase == "failed":
            break
        time.sleep(LOOK_SECONDS)
    raise RallypointError(f"pod {name}: could not move the old output aside ({why}); nothing was started")
