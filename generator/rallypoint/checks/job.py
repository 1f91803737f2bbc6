"""Rules on Jobs, JobSets and training runtimes, which hold Job templates.

Source: Kubernetes API 1.34, batch/v1 JobSpec; JobSet 0.11 webhook; Trainer 2.2 webhook.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rallypoint.checks.finding import Fault, Object, name_of, title
from rallypoint.checks.pod_template import job_specs, jobset_spec, mapping, of_kind, sequence

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
RESERVED = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")
"""Set by the operator; its webhook refuses them. Source: Trainer 2.2, constants.TorchRunReservedEnvNames."""
_RULE_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]{0,126}[A-Za-z0-9_])?")


def _jobs(objects: Sequence[Object]) -> list[tuple[Object, str, dict[str, Any]]]:
    return [(item, path, spec) for item in objects for path, spec in job_specs(item)]


def all_nodes_run_at_once(objects: Sequence[Object]) -> Iterator[Fault]:
    """Nodes wait for each other: fewer at a time than in all would wait for ever."""
    for item, path, spec in _jobs(objects):
        completions, parallelism = spec.get("completions"), spec.get("parallelism", 1)
        if completions is not None and completions != parallelism:
            text = f"parallelism is {parallelism} and completions {completions}"
            yield Fault(title(item), path, f"{text}; make them the same, or some nodes never start")


def nodes_have_an_index(objects: Sequence[Object]) -> Iterator[Fault]:
    """Only an Indexed Job tells its pods apart; a JobSet makes its Jobs Indexed by itself."""
    for item, path, spec in _jobs(objects):
        mode = spec.get("completionMode", "NonIndexed" if item.get("kind") == "Job" else "Indexed")
        if mode != "Indexed" and spec.get("completions", 1) > 1:
            text = f"must be Indexed for several nodes (got {mode!r}); without it the pods have no index"
            yield Fault(title(item), f"{path}.completionMode", text)


def failure_policy_is_complete(objects: Sequence[Object]) -> Iterator[Fault]:
    """The fields that the API server wants together, and containers that exist."""
    for item, path, spec in _jobs(objects):
        indexed = spec.get("completionMode", "NonIndexed") == "Indexed" or item.get("kind") != "Job"
        if "backoffLimitPerIndex" in spec and not indexed:
            yield Fault(title(item), f"{path}.backoffLimitPerIndex", "needs completionMode Indexed")
        if "maxFailedIndexes" in spec and "backoffLimitPerIndex" not in spec:
            yield Fault(title(item), f"{path}.maxFailedIndexes", "needs backoffLimitPerIndex")
        if "podFailurePolicy" in spec and spec.get("podReplacementPolicy", "Failed") != "Failed":
            text = f"must be Failed with podFailurePolicy (got {spec['podReplacementPolicy']!r})"
            yield Fault(title(item), f"{path}.podReplacementPolicy", text)
        yield from _unknown_containers(item, path, spec)


def _unknown_containers(item: Object, path: str, spec: dict[str, Any]) -> Iterator[Fault]:
    pod = mapping(spec, "template", "spec")
    names = {c.get("name") for key in ("containers", "initContainers") for c in sequence(pod, key)}
    for number, rule in enumerate(sequence(mapping(spec, "podFailurePolicy"), "rules")):
        name = mapping(rule, "onExitCodes").get("containerName")
        if name is not None and name not in names:
            text = f"there is no container {name!r}; the rule would never apply"
            where = f"{path}.podFailurePolicy.rules[{number}].onExitCodes.containerName"
            yield Fault(title(item), where, text)


def a_failed_job_fails_its_set(objects: Sequence[Object]) -> Iterator[Fault]:
    """With restarts left, a JobSet starts again what podFailurePolicy ended for good."""
    for item in objects:
        path, spec = jobset_spec(item)
        policy = mapping(spec, "failurePolicy")
        ends = any(
            rule.get("action") == "FailJob"
            for _, job in job_specs(item)
            for rule in sequence(mapping(job, "podFailurePolicy"), "rules")
        )
        told = any(
            rule.get("action") == "FailJobSet"
            and "PodFailurePolicy" in rule.get("onJobFailureReasons", ["PodFailurePolicy"])
            for rule in sequence(policy, "rules")
        )
        if spec and ends and policy.get("maxRestarts", 0) > 0 and not told:
            text = "restarts what podFailurePolicy ends; add a rule FailJobSet on PodFailurePolicy"
            yield Fault(title(item), f"{path}.failurePolicy", text)


def jobset_names_are_valid(objects: Sequence[Object]) -> Iterator[Fault]:
    """The webhook's rules: each replicated job once, rules with a name, targets that exist."""
    for item in objects:
        path, spec = jobset_spec(item)
        names = [str(job.get("name")) for job in sequence(spec, "replicatedJobs")]
        if len(set(names)) < len(names):
            yield Fault(title(item), f"{path}.replicatedJobs", "two have the same name; rename one")
        for number, rule in enumerate(sequence(mapping(spec, "failurePolicy"), "rules")):
            where = f"{path}.failurePolicy.rules[{number}]"
            if not _RULE_NAME.fullmatch(str(rule.get("name", f"rule{number}"))):
                text = f"is no valid rule name (got {rule['name']!r}); start with a letter, use no '-'"
                yield Fault(title(item), f"{where}.name", text)
            for target in sequence(rule, "targetReplicatedJobs"):
                if target not in names:
                    text = f"there is no replicated job {target!r}; use {' or '.join(map(repr, names))}"
                    yield Fault(title(item), f"{where}.targetReplicatedJobs", text)


def a_train_job_has_its_runtime(objects: Sequence[Object]) -> Iterator[Fault]:
    """The webhook refuses a TrainJob whose runtime is not there; a cluster-wide one is the cluster's."""
    for number, item in enumerate(objects):
        reference = mapping(item, "spec", "runtimeRef")
        if item.get("kind") != "TrainJob" or reference.get("kind") != "TrainingRuntime":
            continue
        earlier = of_kind(objects[:number], "TrainingRuntime")
        if reference.get("name") not in {name_of(runtime) for runtime in earlier}:
            text = f"there is no TrainingRuntime {reference.get('name')!r} before it; put it first"
            yield Fault(title(item), "spec.runtimeRef.name", text)


def a_runtime_trains_in_one_place(objects: Sequence[Object]) -> Iterator[Fault]:
    """One Job carries the trainer's label, once, with a container `node`; numNodes is its number of pods."""
    for item in of_kind(objects, "TrainingRuntime", "ClusterTrainingRuntime"):
        path, spec = jobset_spec(item)
        steps = [
            job
            for job in sequence(spec, "replicatedJobs")
            if mapping(job, "template", "metadata", "labels").get(ANCESTOR) == "trainer"
        ]
        if len(steps) != 1:
            text = f"{len(steps)} Jobs carry {ANCESTOR}: trainer; exactly one must"
            yield Fault(title(item), f"{path}.replicatedJobs", text)
        for job in steps:
            yield from _wrong_step(item, path, job)


def _wrong_step(item: Object, path: str, job: dict[str, Any]) -> Iterator[Fault]:
    where, spec = f"{path}.replicatedJobs", mapping(job, "template", "spec")
    names = [c.get("name") for c in sequence(mapping(spec, "template", "spec"), "containers")]
    nodes, pods = mapping(item, "spec", "mlPolicy").get("numNodes", 1), spec.get("completions", 1)
    if "node" not in names:
        yield Fault(title(item), where, f"needs a container named node (got {names}); rename it")
    if job.get("replicas", 1) != 1:
        yield Fault(title(item), where, f"replicas must be 1 (got {job['replicas']}); use numNodes")
    if "completions" in spec and nodes != pods:
        text = f"numNodes is {nodes} and completions {pods}; make them the same"
        yield Fault(title(item), "spec.mlPolicy.numNodes", text)


def reserved_variables_are_the_operators(objects: Sequence[Object]) -> Iterator[Fault]:
    """Trainer sets five variables itself and refuses a TrainJob that does."""
    for item in of_kind(objects, "TrainJob"):
        for entry in sequence(mapping(item, "spec", "trainer"), "env"):
            if entry.get("name") in RESERVED:
                yield Fault(title(item), "spec.trainer.env", f"{entry['name']} is the operator's; remove it")
