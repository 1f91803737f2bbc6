"""What a cluster answers when it refuses, in words: who may not do what where, and what to do about it.

Pure: from a status and its document, or an exception, to the text and the exit code. Source: Kubernetes API
conventions, "Response Status Kind".
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from rallypoint.cluster.resource import INSTALL, Resource
from rallypoint.errors import InputError, RallypointError

WRONG_INPUT = 2
UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFLICT, INVALID, TOO_MANY = 401, 403, 404, 409, 422, 429
UNKNOWN_KIND = "404 page not found"
_VERBS = {"GET": "get", "PATCH": "patch", "POST": "create", "DELETE": "delete"}


class Target(NamedTuple):
    """What a call was about."""

    verb: str
    """`get`, `list`, `apply`, `patch` or `delete`."""
    resource: Resource
    namespace: str | None
    name: str = ""
    context: str = ""
    host: str = ""
    """The address that was asked."""

    def __str__(self) -> str:
        """`job.batch/mrpc`, or `jobs.batch` for all of them."""
        return self.resource.named(self.name) if self.name else self.resource.full

    @property
    def where(self) -> str:
        """`namespace 'research'`, or `all namespaces`."""
        return f"namespace {self.namespace!r}" if self.namespace else "all namespaces"


class Refusal(RallypointError):
    """The cluster refused a call; its text says why and what to do."""

    def __init__(self, text: str, status: int, exit_code: int) -> None:
        super().__init__(text)
        self.status = status
        self.exit_code = exit_code


class MissingNamespace(InputError):
    """The namespace is not in this cluster."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"namespace {name!r}: is not in this cluster; create it with 'kubectl create namespace {name}', "
            "or name another with -n"
        )


class Unreachable(RallypointError):
    """The cluster did not answer, or not now; another try may succeed."""


def refusal(status: int, body: str, target: Target) -> RallypointError:
    """The error for an answer that is not a success."""
    document = _document(body)
    said = str(document.get("message") or body.strip() or f"status {status}")
    if status >= 500 and "failed calling webhook" not in said:
        return Unreachable(
            f"{target}: the cluster cannot answer now ({status}: {_short(said)}); try again later"
        )
    details = document.get("details") or {}
    if status == NOT_FOUND and details.get("kind") == "namespaces":
        return MissingNamespace(target.namespace or str(details.get("name")))
    if status == NOT_FOUND and _strange(body, document, target):
        return Unreachable(
            f"cluster {target.host}: the address does not answer as Kubernetes does (404: {said[:60]!r}); "
            "check the server in the kubeconfig"
        )
    text, exit_code = _words(status, said, document, target)
    return Refusal(text, status, exit_code)


def _strange(body: str, document: dict[str, Any], target: Target) -> bool:
    """Whether no API server answers so with 404: it has a Status for an object, one line for a kind.

    The kinds that we do not have to install are in every cluster, so all of them is never a 404.
    """
    everywhere = target.resource.group not in INSTALL
    if document.get("kind") == "Status":
        return everywhere and not target.name
    return everywhere or body.strip() != UNKNOWN_KIND


def unreachable(error: Exception, host: str, context: str) -> Unreachable:
    """Why the API server does not answer."""
    import urllib3.exceptions as http

    named = f" (context {context!r})" if context else ""
    text = _short(str(error))
    if isinstance(error, http.SSLError) or "CERTIFICATE" in text.upper():
        why, way = f"its certificate is not accepted: {text}", "is the kubeconfig of this cluster?"
    elif isinstance(error, http.NameResolutionError) or "resolve" in text:
        why, way = "the name does not resolve", "is the kubeconfig right, and the network (VPN) up?"
    elif isinstance(error, http.TimeoutError) and not isinstance(error, http.NewConnectionError):
        why, way = "no answer in time", "is the network (VPN) up?"
    elif "refused" in text:
        why, way = "connection refused", "is the cluster running, and the address right?"
    else:
        why, way = text, "is the cluster running, and the network (VPN) up?"
    return Unreachable(f"cluster {host}{named}: cannot be reached ({why}); {way}")


def _words(status: int, said: str, document: dict[str, Any], target: Target) -> tuple[str, int]:
    """The message and the exit code."""
    if status == UNAUTHORIZED:
        who = f"context {target.context!r}: " if target.context else ""
        return f"{who}the cluster does not accept these credentials (expired?); log in again", 1
    if status == FORBIDDEN:
        return _forbidden(said, target)
    if status == NOT_FOUND:
        return _not_found(document, target)
    if status == CONFLICT:
        return _conflict(said, document, target)
    if status == TOO_MANY:
        return f"{target}: the cluster has too much to do ({_short(said)}); try again later", 1
    webhook = re.search(r'admission webhook "([^"]+)" denied the request: (.*)', said, re.DOTALL)
    if webhook:
        return f"{target}: the webhook {webhook[1]} refuses it: {_short(webhook[2])}", WRONG_INPUT
    broken = re.search(r'failed calling webhook "([^"]+)": (.*)', said, re.DOTALL)
    if broken:
        why = _short(broken[2])
        return (
            f"{target}: the cluster's webhook {broken[1]} does not answer ({why}); is its operator running?",
            1,
        )
    return f"{target}: the cluster refuses it: {_short(said)}", WRONG_INPUT if status in (400, INVALID) else 1


def _forbidden(said: str, target: Target) -> tuple[str, int]:
    """Quota, Pod Security, a webhook's word, a namespace that goes, or a missing right."""
    quota = re.search(r"exceeded quota: (.*)", said, re.DOTALL)
    if quota:
        name, _, rest = quota[1].partition(",")
        return (
            f"{target}: exceeds the quota {name!r} of {target.where} ({_short(rest)}); "
            "ask for less, or free what others hold", 1
        )  # fmt: skip
    webhook = re.search(r'admission webhook "([^"]+)" denied the request: (.*)', said, re.DOTALL)
    if webhook:
        return f"{target}: the webhook {webhook[1]} refuses it: {_short(webhook[2])}", WRONG_INPUT
    if "violates PodSecurity" in said:
        return f"{target}: {target.where} does not allow such pods: {_short(said)}", WRONG_INPUT
    if "being terminated" in said:
        return f"{target.where}: is being deleted; wait for its end, or name another with -n", WRONG_INPUT
    if " cannot " not in said:
        return f"{target}: the cluster refuses it: {_short(said)}", 1
    who = re.search(r'User "([^"]+)"', said)
    right = re.search(r'cannot (\w+) resource "([^"]+)"', said)
    verb, what = (right[1], right[2]) if right else (target.verb, target.resource.plural)
    group = target.resource.group
    full = f"{what}.{group}" if group else what
    return (
        f"{target.where}: {repr(who[1]) if who else 'you'} may not {verb} {full}; "
        "ask for a role that allows it (docs/cluster.md lists the rights)", 1
    )  # fmt: skip


def _not_found(document: dict[str, Any], target: Target) -> tuple[str, int]:
    """A kind or an object that is not there."""
    if document.get("kind") != "Status" or not (document.get("details") or {}).get("name"):
        return not_installed(target.resource), WRONG_INPUT
    return f"{target.where}: there is no {target}", WRONG_INPUT


def not_installed(resource: Resource) -> str:
    """Which custom resource is missing, and what brings it."""
    what = INSTALL.get(resource.group, "what defines it")
    return (
        f"kind {resource.kind}: this cluster does not know {resource.full} (no such CRD in {resource.api}); "
        f"install {what}, or choose another --kind"
    )


def _conflict(said: str, document: dict[str, Any], target: Target) -> tuple[str, int]:
    """Fields that another manager owns; or an object that changed meanwhile."""
    causes = (document.get("details") or {}).get("causes") or []
    owned = [cause for cause in causes if cause.get("reason") == "FieldManagerConflict"]
    if not owned:
        if "being deleted" in said:
            return f"{target}: is still being deleted; wait for its end and try again", 1
        return f"{target}: changed at the same time ({_short(said)}); try again", 1
    fields = "; ".join(f"{cause.get('field', '?')} ({_manager(cause)})" for cause in owned)
    return (
        f"{target}: others set these fields: {fields}; leave them out of the job file, "
        "or take them over with --force-conflicts", 1
    )  # fmt: skip


def _manager(cause: dict[str, Any]) -> str:
    """`kubectl-edit` of `conflict with "kubectl-edit" using batch/v1`."""
    found = re.search(r'"([^"]+)"', str(cause.get("message", "")))
    return found[1] if found else "another manager"


def _document(body: str) -> dict[str, Any]:
    """The Status; empty for an answer that is none."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _short(text: str) -> str:
    """One line of at most 600 letters."""
    line = " ".join(text.split())
    return line if len(line) <= 600 else line[:597] + "..."
