"""Rules on how the nodes meet: Services, policies, and the contract that tells the pods where."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rallypoint.checks.finding import Fault, Object, name_of, title
from rallypoint.checks.pod_template import PodTemplate, all_pods, mapping, of_kind, pod_templates, sequence
from rallypoint.topology import NODE_INDEX_LABELS, endpoint_host

CONTROLLER_LABELS = (
    *sorted(set(NODE_INDEX_LABELS.values())),
    "job-name", "batch.kubernetes.io/", "jobset.sigs.k8s.io/", "training.kubeflow.org/",
    "trainer.kubeflow.org/", "statefulset.kubernetes.io/", "apps.kubernetes.io/", "controller-revision-hash",
    "controller-uid",
)  # fmt: skip
"""Pods get these from their controller; no template shows them."""


def _finds(selector: dict[str, Any], pod: PodTemplate) -> bool:
    """Whether a selector can find the template's pods, as far as the template tells."""
    return all(
        pod.labels.get(key) == value or (key not in pod.labels and key.startswith(CONTROLLER_LABELS))
        for key, value in selector.items()
    )


def selectors_find_pods(objects: Sequence[Object]) -> Iterator[Fault]:
    """A Service or a policy that selects nothing is a spelling mistake."""
    pods = all_pods(objects)
    for item in of_kind(objects, "Service", "NetworkPolicy"):
        service = item.get("kind") == "Service"
        path = "spec.selector" if service else "spec.podSelector.matchLabels"
        selector = mapping(item, *path.split("."))
        if pods and selector and not any(_finds(selector, pod) for pod in pods):
            yield Fault(title(item), path, f"finds no pod of the job (got {selector}); correct a label")


def a_stateful_set_owns_its_pods(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses a selector that the template's labels do not meet."""
    for item in of_kind(objects, "StatefulSet"):
        selector = mapping(item, "spec", "selector", "matchLabels")
        for pod in pod_templates(item):
            if not selector or not selector.items() <= pod.labels.items():
                text = f"does not match the template's labels (got {selector}); make them the same"
                yield Fault(title(item), "spec.selector.matchLabels", text)


def a_stateful_set_has_its_service(objects: Sequence[Object]) -> Iterator[Fault]:
    """Its pods have names only below a headless Service; a set among these objects must bring it."""
    services = {name_of(item): item for item in of_kind(objects, "Service")}
    for item in of_kind(objects, "StatefulSet"):
        name = mapping(item, "spec").get("serviceName")
        if name and name not in services:
            text = f"there is no Service {name!r}; add it, headless"
            yield Fault(title(item), "spec.serviceName", text)


def nodes_start_together(objects: Sequence[Object]) -> Iterator[Fault]:
    """With OrderedReady node 1 is created only when node 0 is Ready, and node 0 waits for node 1."""
    for item in of_kind(objects, "StatefulSet"):
        spec = mapping(item, "spec")
        if spec.get("replicas", 1) > 1 and spec.get("podManagementPolicy") != "Parallel":
            text = (
                f"must be Parallel (got {spec.get('podManagementPolicy')!r}); the nodes wait for each other"
            )
            yield Fault(title(item), "spec.podManagementPolicy", text)


def the_policy_lets_the_job_in(objects: Sequence[Object]) -> Iterator[Fault]:
    """A policy on the job's pods must let the job's own pods in, or no rank reaches another."""
    for item in of_kind(objects, "NetworkPolicy"):
        spec = mapping(item, "spec")
        held = [pod for pod in all_pods(objects) if _finds(mapping(spec, "podSelector", "matchLabels"), pod)]
        peers = [peer for rule in sequence(spec, "ingress") for peer in sequence(rule, "from")]
        open_to_all = any(not sequence(rule, "from") for rule in sequence(spec, "ingress"))
        for pod in held:
            let_in = (_finds(mapping(peer, "podSelector", "matchLabels"), pod) for peer in peers)
            if "Ingress" in spec.get("policyTypes", ["Ingress"]) and not (open_to_all or any(let_in)):
                text = f"keeps the pods of {pod.where} from each other; let them in"
                yield Fault(title(item), "spec.ingress", text)


def _contracts(objects: Sequence[Object]) -> Iterator[tuple[Object, dict[str, Any]]]:
    """The contracts among the objects; manifests of others have none."""
    for item in of_kind(objects, "ConfigMap"):
        text = mapping(item, "data").get("contract.json")
        if isinstance(text, str):
            yield item, json.loads(text)


def the_contract_agrees(objects: Sequence[Object]) -> Iterator[Fault]:
    """As many pods as the contract has nodes, and as many processes as the manifest says."""
    for item, contract in _contracts(objects):
        for pod in all_pods(objects):
            if pod.replicas != contract["nodes"]:
                text = (
                    f"nodes is {contract['nodes']}, {pod.where} has {pod.replicas} pods; make them the same"
                )
                yield Fault(title(item), "data.contract.json", text)
        for job in of_kind(objects, "PyTorchJob"):
            value = mapping(job, "spec").get("nprocPerNode")
            if value != str(contract["nproc_per_node"]):
                text = (
                    f"nproc_per_node is {contract['nproc_per_node']}, nprocPerNode of {title(job)} {value!r}"
                )
                yield Fault(title(item), "data.contract.json", f"{text}; make them the same")


def the_endpoint_is_node_zero(objects: Sequence[Object]) -> Iterator[Fault]:
    """The contract's endpoint is a headless Service of these objects that finds node 0 alone.

    Source: Kubernetes docs 1.34, Services, "Headless Services".
    """
    services = {name_of(item): item for item in of_kind(objects, "Service")}
    for item, contract in _contracts(objects):
        host, port = endpoint_host(contract["endpoint"])
        if host not in services:
            text = f"the endpoint {contract['endpoint']!r} is no Service of the job; add one"
            yield Fault(title(item), "data.contract.json", text)
            continue
        for path, text in _endpoint_faults(mapping(services[host], "spec"), port):
            yield Fault(title(services[host]), path, text)


def _endpoint_faults(spec: dict[str, Any], port: int) -> Iterator[tuple[str, str]]:
    index = [value for key, value in mapping(spec, "selector").items() if key in NODE_INDEX_LABELS.values()]
    if spec.get("clusterIP") != "None":
        yield "spec.clusterIP", f"must be None (got {spec.get('clusterIP')!r}); every port of node 0 is used"
    if spec.get("publishNotReadyAddresses") is not True:
        yield "spec.publishNotReadyAddresses", "must be true; the nodes meet before they are Ready"
    if index != ["0"]:
        yield "spec.selector", f"must find node 0 alone (got index {index}); select the node index 0"
    if port not in [entry.get("port") for entry in sequence(spec, "ports")]:
        yield "spec.ports", f"lacks the endpoint's port {port}; add it"
