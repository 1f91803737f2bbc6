"""All rules, over all objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rallypoint.checks import container, endpoint, job, name, pod, pytorchjob, text
from rallypoint.checks.finding import Fault, Finding, Object

Rule = Callable[[Sequence[Object]], Iterator[Fault]]

RULES: tuple[Rule, ...] = (
    text.nothing_is_null,
    text.nothing_is_the_word_none,
    text.env_values_are_text,
    text.env_names_are_unique,
    text.no_secret_in_plain_text,
    name.names_are_valid,
    name.derived_names_fit,
    name.port_names_are_valid,
    name.all_objects_share_a_namespace,
    container.container_names_are_unique,
    container.mounts_have_volumes,
    container.mounts_do_not_collide,
    container.volume_names_are_unique,
    container.devices_have_equal_requests_and_limits,
    container.requests_fit_their_limits,
    container.shm_fits_into_memory,
    container.escalation_agrees_with_privilege,
    pod.labels_are_valid,
    pod.annotations_are_text,
    pod.restart_policy_fits_the_kind,
    pod.host_network_looks_up_cluster_names,
    pod.field_references_exist,
    pod.mounted_keys_exist,
    job.all_nodes_run_at_once,
    job.nodes_have_an_index,
    job.failure_policy_is_complete,
    job.a_failed_job_fails_its_set,
    job.jobset_names_are_valid,
    job.a_train_job_has_its_runtime,
    job.a_runtime_trains_in_one_place,
    job.reserved_variables_are_the_operators,
    pytorchjob.pytorch_jobs_have_replicas,
    pytorchjob.pytorch_jobs_have_a_pytorch_container,
    pytorchjob.nproc_per_node_is_text,
    pytorchjob.nproc_per_node_fits_the_gpus,
    pytorchjob.run_policy_is_at_its_place,
    pytorchjob.pytorch_policies_are_known,
    pytorchjob.elastic_policy_is_complete,
    endpoint.selectors_find_pods,
    endpoint.a_stateful_set_owns_its_pods,
    endpoint.a_stateful_set_has_its_service,
    endpoint.nodes_start_together,
    endpoint.the_policy_lets_the_job_in,
    endpoint.the_contract_agrees,
    endpoint.the_endpoint_is_node_zero,
)
"""Each rule's name is its function's, with hyphens."""


def check(objects: Sequence[Object]) -> list[Finding]:
    """Everything that is wrong with the objects of one job, rule by rule."""
    return [Finding(rule.__name__.replace("_", "-"), *fault) for rule in RULES for fault in rule(objects)]
