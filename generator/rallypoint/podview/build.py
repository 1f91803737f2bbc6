"""From a job to its view."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.contract import POD_WORKDIR
from rallypoint.podview.claim import claims
from rallypoint.podview.cluster import refuse_broken_rules, refuse_too_much_config
from rallypoint.podview.config import CONFIG_MOUNT, config_data, files_data, files_name
from rallypoint.podview.device import resources
from rallypoint.podview.environment import environment, environment_sources
from rallypoint.podview.label import NO_MESH, endpoint_selector, labels, queue_labels, selector
from rallypoint.podview.rights import container_security, pod_security
from rallypoint.podview.storage import mounts, volumes
from rallypoint.podview.view import Container, Objects, Pod, View
from rallypoint.quantity import seconds
from rallypoint.spec import Job
from rallypoint.topology import CONTAINER_NAMES, ENDPOINT_PORT_NAMES, config_map_name, endpoint_name

BACKOFF_LIMIT = 10000
"""Lost pods are free: the launcher counts the program's failures, `deadline` bounds the rest."""

COMMAND = ["python3", "-u", f"{CONFIG_MOUNT}/launcher", f"{CONFIG_MOUNT}/contract.json"]
"""No shell: signals reach the launcher itself."""


def view(job: Job, scripts: Mapping[str, str]) -> View:
    """Everything about `job` on a cluster; `scripts` holds the text of each shipped file by relative path.

    Raises: InputError when the job cannot go to a cluster as it stands.
    """
    refuse_broken_rules(job)
    files = files_data(job, scripts)
    refuse_too_much_config(files)
    return View(_objects(job, scripts, files), _pod(job, scripts), _container(job, scripts))


def _objects(job: Job, scripts: Mapping[str, str], files: dict[str, str]) -> Objects:
    return Objects(
        kind=job.kind,
        name=job.name,
        namespace=job.namespace or "",
        labels=labels(job),
        annotations=dict(job.annotations),
        queue_labels=queue_labels(job),
        selector=selector(job),
        config_name=config_map_name(job),
        config_data=config_data(job, scripts),
        files_name=files_name(job, scripts),
        files_data=files,
        endpoint_name=endpoint_name(job),
        endpoint_selector=endpoint_selector(job),
        port=job.rendezvous.port,
        port_name=ENDPOINT_PORT_NAMES[job.kind],
        claims=claims(job),
        policy=job.network.policy and not job.network.host_network,  # the machine's network knows no policies
        nodes=job.nodes,
        nproc_per_node=str(job.nproc),
        backoff_limit=BACKOFF_LIMIT,
        suspend=job.suspend,
        deadline_seconds=seconds(job.deadline) if job.deadline else 0,
        ttl_seconds=seconds(job.ttl) if job.ttl else 0,
    )


def _pod(job: Job, scripts: Mapping[str, str]) -> Pod:
    placed = job.scheduling
    return Pod(
        pod_labels={**NO_MESH, **labels(job)},
        pod_annotations={**NO_MESH, **job.annotations, **job.network.annotations},
        restart_policy="Never" if job.kind in ("job", "jobset", "trainjob") else "",
        grace_seconds=seconds(job.grace_period),
        service_account=job.service_account or "",
        service_account_token=job.security.service_account_token,
        image_pull_secrets=[{"name": name} for name in job.image_pull_secrets],
        host_network=job.network.host_network,
        priority_class=placed.priority_class or "",
        scheduler_name=placed.scheduler_name or "",
        node_selector=dict(placed.node_selector),
        tolerations=placed.tolerations,
        affinity=placed.affinity,
        spread=placed.spread or "",
        pod_security=pod_security(job),
        volumes=volumes(job, scripts),
        init_containers=job.init_containers,
        sidecars=job.sidecars,
        pod_patch=job.pod_patch,
    )


def _container(job: Job, scripts: Mapping[str, str]) -> Container:
    return Container(
        container_name=CONTAINER_NAMES[job.kind],
        image=job.image or "",
        image_pull_policy=job.image_pull_policy or "",
        command=COMMAND,
        workdir=POD_WORKDIR,
        env=environment(job),
        env_from=environment_sources(job.env_from),
        resources=resources(job),
        container_security=container_security(job),
        mounts=mounts(job, scripts),
        container_patch=job.container_patch,
    )
