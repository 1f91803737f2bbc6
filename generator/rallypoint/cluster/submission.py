"""Bringing a job into a cluster: look at what lives, refuse a changed run, rehearse, send.

Nothing is changed before all of it is known to be accepted, as far as the API server can tell beforehand.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.deletion import HELM, delete_objects, remains, wait_for_pods
from rallypoint.cluster.difference import Difference, config_differences, workload_differences
from rallypoint.cluster.errors import CONFLICT, FORBIDDEN, TOO_MANY, Refusal, not_installed
from rallypoint.cluster.files import with_living_files
from rallypoint.cluster.objects import Sent, fitted, living_objects, rehearse, send, unknown_kinds
from rallypoint.cluster.resource import WORKLOADS, Resource, resource_of
from rallypoint.cluster.view import JobView, jobs
from rallypoint.errors import InputError, RallypointError
from rallypoint.quantity import seconds
from rallypoint.spec import Job

Object = dict[str, Any]
Living = dict[tuple[str, str], Object]
SAVE_SECONDS = 120
"""Beyond the pods' grace period: controllers take their time."""
_REVIEW = Resource("authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview")
_NO_RIGHT = (
    "{where}: you may not create {what}; ask for a role that allows it (docs/cluster.md lists the rights)"
)


class Submission(NamedTuple):
    """A job, the cluster it goes to, and what lives there under its name."""

    job: Job
    objects: list[Object]
    cluster: Cluster
    namespace: str
    living: Living
    present: list[JobView]
    """Workloads of that name, of any kind."""

    @property
    def differences(self) -> list[Difference]:
        """In what the job differs from the one that lives; none when nothing of that name runs."""
        if not self.present:
            return []
        kinds = [view.kind for view in self.present if view.kind != self.job.kind]
        found = [Difference("kind", WORKLOADS[kind].kind, WORKLOADS[self.job.kind].kind) for kind in kinds]
        config = self.living.get(("ConfigMap", self.objects[0]["metadata"]["name"]))
        if config is not None:
            found += config_differences(config, self.objects[0])
        for item in self.objects:
            old = self.living.get((item["kind"], item["metadata"]["name"]))
            if old is not None and item["kind"] in _RUNS:
                found += workload_differences(old, item)
        return found


_RUNS = {*(resource.kind for resource in WORKLOADS.values()), "TrainingRuntime"}


def submission(cluster: Cluster, job: Job, objects: list[Object]) -> Submission:
    """What is to be sent, beside what lives.

    Raises: InputError when the kind is not installed, or helm holds the job.
    """
    namespace = job.namespace or cluster.namespace
    unknown = unknown_kinds(cluster, objects)
    if unknown:
        raise InputError("\n".join(map(not_installed, unknown)))
    living = living_objects(cluster, objects, namespace)
    for item in living.values():
        release = (item["metadata"].get("annotations") or {}).get(HELM)
        if release:
            raise InputError(
                f"{job.name}: belongs to the helm release {release!r}; use 'helm upgrade', or another name"
            )
    return Submission(job, objects, cluster, namespace, living, jobs(cluster, namespace, job.name))


def refuse_changed_run(given: Submission) -> None:
    """Nothing when the job is new, or the same.

    Raises: InputError with every difference, old -> new.
    """
    found = given.differences
    if not found:
        return
    name, lines = given.job.name, "".join(f"\n  {one}" for one in found)
    many = f"{len(found)} differences" if len(found) > 1 else "1 difference"
    raise InputError(
        f"{name}: lives in {given.namespace!r} as another run ({many}); nothing was changed{lines}\n"
        "give the new run another name, or end the old one with --replace (its output stays, and the new one "
        "goes on from its checkpoints) or --fresh (its output is moved aside)"
    )


def prepared(given: Submission) -> tuple[list[Object], list[str]]:
    """The objects as they are to be sent, and what the user should know of it."""
    sent, notices = [], []
    objects, others = with_living_files(given.objects, given.living if given.present else {})
    if others:
        notices.append("the job keeps the launcher of the release that started it")
    for item in objects:
        one, told = fitted(item, given.living.get((item["kind"], item["metadata"]["name"])))
        sent.append(one)
        notices += told
    return sent, list(dict.fromkeys(notices))


def end_old(given: Submission, told: Callable[[str], None]) -> Submission:
    """The submission once the old job is gone; its claims stay.

    Raises: RallypointError, and nothing is deleted, when the cluster would not take the new one.
    """
    refuse_in_vain(given)
    found = remains(given.cluster, given.namespace, given.job.name)
    limit = seconds(given.job.grace_period) + SAVE_SECONDS
    delete_objects(
        given.cluster,
        given.namespace,
        given.job.name,
        found.objects,
        seconds=limit,
        told=lambda one: told(f"{one} deleted"),
    )
    claims = {key: item for key, item in given.living.items() if key[0] == "PersistentVolumeClaim"}
    return given._replace(living=claims, present=[])


def refuse_in_vain(given: Submission) -> None:
    """Nothing when the cluster would take the job once the old one is gone, as far as it can tell before.

    Raises: RallypointError for a missing right, for an object that is new and is refused, and when the
    cluster cannot answer.
    """
    for item in given.objects:
        resource, name = resource_of(item), item["metadata"]["name"]
        lives = (item["kind"], name) in given.living
        try:
            if item["kind"] == "TrainJob":  # `rehearse` leaves it out; the rights come before its webhook
                given.cluster.apply(resource, item, given.namespace, dry_run=True, force=True)
            else:
                rehearse(given.cluster, [item], given.namespace, force=True)
        except Refusal as error:
            if not _from_old(error, lives or item["kind"] == "TrainJob"):
                raise
        if lives and not _may_create(given.cluster, resource, name, given.namespace):
            where = f"namespace {given.namespace!r}"
            raise Refusal(_NO_RIGHT.format(where=where, what=resource.full), FORBIDDEN, 1)


def _from_old(error: Refusal, lives: bool) -> bool:
    """Whether it may be refused only for what the old job holds: names, quota, fields that cannot change.

    Of a living object a webhook's or a policy's word, too, may be about the change.
    """
    if error.status == CONFLICT or "exceeds the quota" in str(error):
        return True
    right = error.status == FORBIDDEN and re.search(r"(?<!: you) may not \w+ \S+; ask for a role", str(error))
    return lives and not right and error.status < 500 and error.status != TOO_MANY


def _may_create(cluster: Cluster, resource: Resource, name: str, namespace: str) -> bool:
    """Whether the user may, which no rehearsal on a living object tells; yes when the cluster is silent."""
    asked = {"verb": "create", "group": resource.group, "resource": resource.plural,
             "namespace": namespace, "name": name}  # fmt: skip
    kind = {"apiVersion": _REVIEW.api, "kind": _REVIEW.kind, "metadata": {"name": ""}}
    try:
        said = cluster.create(_REVIEW, {**kind, "spec": {"resourceAttributes": asked}}, "")
    except RallypointError:
        return True
    return bool((said.get("status") or {}).get("allowed", True))


def clear_leftovers(given: Submission, told: Callable[[str], None]) -> Submission:
    """The submission without what a job left whose workload is gone, as after its ttl.

    Its pods first: in their grace period they still write checkpoints into the output, and node 0 is behind
    the endpoint.
    """
    if given.present:
        return given
    until = time.monotonic() + seconds(given.job.grace_period) + SAVE_SECONDS
    wait_for_pods(given.cluster, given.namespace, given.job.name, until, told)
    key = ("ConfigMap", given.objects[0]["metadata"]["name"])
    old = given.living.get(key)
    if old is None or not config_differences(old, given.objects[0]):
        return given
    return end_old(given, told)


def submit(given: Submission, force: bool, told: Callable[[Sent], None]) -> list[Sent]:
    """What came of each object.

    Raises: RallypointError when one is refused, with what was sent before it.
    """
    objects, _ = prepared(given)
    done: list[Sent] = []

    def note(one: Sent) -> None:
        done.append(one)
        told(one)

    try:
        return send(given.cluster, objects, given.living, given.namespace, force=force, told=note)
    except RallypointError as error:
        new = [one.name for one in done if one.result == "created"]
        if new:
            way = f"'rallypoint delete {given.job.name}' removes them"
            told_of = f"{error}\nalready created: {', '.join(new)}; {way}"
            raise _with_text(error, told_of) from error
        raise


def _with_text(error: RallypointError, text: str) -> RallypointError:
    """An error with the same exit code and another text."""
    other = RallypointError(text)
    other.exit_code = error.exit_code
    return other


def rehearsed(given: Submission, force: bool) -> list[str]:
    """Notices and admission's warnings; nothing is changed. Raises: as `rehearse` does."""
    objects, notices = prepared(given)
    return [*notices, *rehearse(given.cluster, objects, given.namespace, force)]
