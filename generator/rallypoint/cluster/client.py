"""Calls of the API server: plain documents in and out, every refusal in words.

The kubernetes package gives the access (contexts, certificates, tokens, login programs, proxies) and the
connections; objects stay the dictionaries that render printed.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode

from rallypoint.cluster.errors import FORBIDDEN, NOT_FOUND, Refusal, Target, Unreachable, refusal, unreachable
from rallypoint.cluster.kubeconfig import Access, access
from rallypoint.cluster.resource import NAMESPACE, Resource
from rallypoint.errors import InputError

Object = dict[str, Any]
FIELD_MANAGER = "rallypoint"
CONNECT_SECONDS, READ_SECONDS = 10.0, 60.0  # webhooks may take 30 s
SIGNS = {"kind", "metadata", "items", "resources"}
"""Every answer of an API server has one of these."""

APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"


class Answer(NamedTuple):
    """A success."""

    document: Object
    warnings: list[str]
    """What admission has to say of an object that it lets in."""


class Request(NamedTuple):
    """One call."""

    method: str
    path: str
    query: dict[str, str] = {}  # noqa: RUF012 - never changed
    body: Object | None = None
    content: str = "application/json"


class Cluster:
    """One API server, as one user."""

    def __init__(self, context: str | None = None, namespace: str | None = None) -> None:
        """Raises: InputError when the kubeconfig does not lead to a cluster."""
        from kubernetes.client.rest import RESTClientObject
        from urllib3.exceptions import HTTPError

        self._access: Access = access(context)
        try:
            self._pool = RESTClientObject(self._access.configuration).pool_manager
        except (HTTPError, ValueError) as error:
            raise InputError(
                f"kubeconfig: no connection can be made (context {self._access.context!r}: {_short(error)}); "
                "mend its addresses"
            ) from error
        self.context = self._access.context
        self.namespace = namespace or self._access.namespace

    def get(self, resource: Resource, name: str, namespace: str | None = None) -> Object | None:
        """The object; None when it, or its kind, is not there."""
        where = namespace or self.namespace
        target = Target("get", resource, where, name)
        try:
            return self._call(Request("GET", resource.path(where, name)), target).document
        except Refusal as error:
            if error.status == NOT_FOUND:
                return None
            raise

    def list(self, resource: Resource, namespace: str | None, **query: str) -> list[Object]:
        """The objects of a namespace, or of all for None; none when their kind is not installed."""
        target = Target("list", resource, namespace)
        try:
            document = self._call(Request("GET", resource.path(namespace), query), target).document
        except Refusal as error:
            if error.status == NOT_FOUND:
                return []
            raise
        return list(document.get("items") or [])

    def knows(self, resource: Resource) -> bool:
        """Whether the API server serves this kind."""
        target = Target("get", resource, None)
        try:
            served = self._call(Request("GET", resource.root), target).document
        except Refusal as error:
            if error.status == NOT_FOUND:
                return False
            raise
        return any(one.get("name") == resource.plural for one in served.get("resources") or [])

    def namespace_labels(self, name: str) -> dict[str, str]:
        """The namespace's labels; none when it may not be read. Raises: MissingNamespace."""
        target = Target("get", NAMESPACE, None, name)
        try:
            document = self._call(Request("GET", NAMESPACE.path(None, name)), target).document
        except Refusal as error:
            if error.status not in (FORBIDDEN, NOT_FOUND):
                raise
            return {}
        return dict((document.get("metadata") or {}).get("labels") or {})

    def apply(
        self, resource: Resource, item: Object, namespace: str, dry_run: bool = False, force: bool = False
    ) -> Answer:
        """Server-side apply as field manager `rallypoint`."""
        name = item["metadata"]["name"]
        query = {"fieldManager": FIELD_MANAGER, "force": str(force).lower(), **_dry(dry_run)}
        target = Target("patch", resource, namespace, name)
        return self._call(Request("PATCH", resource.path(namespace, name), query, item, APPLY), target)

    def merge(self, resource: Resource, name: str, namespace: str, patch: Object, manager: str) -> Object:
        """The object after a merge patch in the name of `manager`."""
        target = Target("patch", resource, namespace, name)
        path = resource.path(namespace, name)
        return self._call(Request("PATCH", path, {"fieldManager": manager}, patch, MERGE), target).document

    def create(self, resource: Resource, item: Object, namespace: str) -> Object:
        """The new object."""
        target = Target("create", resource, namespace, item["metadata"]["name"])
        return self._call(Request("POST", resource.path(namespace), {}, item), target).document

    def delete(self, resource: Resource, name: str, namespace: str) -> bool:
        """Whether it was there; what it owns goes first."""
        target = Target("delete", resource, namespace, name)
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
        try:
            self._call(Request("DELETE", resource.path(namespace, name), {}, options), target)
        except Refusal as error:
            if error.status == NOT_FOUND:
                return False
            raise
        return True

    def lines(self, resource: Resource, name: str, namespace: str, query: dict[str, str]) -> Iterator[str]:
        """A pod's log, line by line as it comes."""
        import urllib3

        target = Target("get", resource, namespace, name)
        path = resource.path(namespace, name, "log")
        response = self._send(Request("GET", path, query), target, stream=True)
        try:
            rest = b""
            for piece in response.stream(65536, decode_content=True):
                *whole, rest = (rest + piece).split(b"\n")
                yield from (line.decode("utf-8", "replace") for line in whole)
            if rest:
                yield rest.decode("utf-8", "replace")
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"{target}: the log broke off ({_short(error)})") from error
        finally:
            response.close()

    def _call(self, request: Request, target: Target) -> Answer:
        response = self._send(request, target, stream=False)
        try:
            document = json.loads(response.data)
        except ValueError:
            document = None
        if not isinstance(document, dict) or not SIGNS & document.keys():
            said = response.data[:60].decode("utf-8", "replace")
            raise Unreachable(
                f"cluster {self._access.configuration.host}: does not answer as Kubernetes does ({said!r}); "
                "is the address right, or is there a login page in between?"
            )
        return Answer(document, _warnings(response.headers))

    def _send(self, request: Request, target: Target, stream: bool) -> Any:
        """The response of a success. Raises: Refusal or Unreachable."""
        import urllib3

        host = self._access.configuration.host
        url = f"{host}{request.path}" + (f"?{urlencode(request.query)}" if request.query else "")
        headers = {"Accept": "*/*" if stream else "application/json", "User-Agent": "rallypoint"}
        if request.body is not None:
            headers["Content-Type"] = request.content
        try:
            response = self._pool.request(
                request.method,
                url,
                body=None if request.body is None else json.dumps(request.body).encode(),
                headers={**headers, **self._credentials()},
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=None if stream else READ_SECONDS),
                preload_content=not stream,
                retries=False,
                redirect=False,
            )
            if response.status < 300:
                return response
            text = (response.read() if stream else response.data).decode("utf-8", "replace")
        except urllib3.exceptions.HTTPError as error:
            raise unreachable(error, host, self.context) from error
        except ValueError as error:  # a header that cannot be sent
            raise InputError(
                f"kubeconfig: the credentials cannot be sent ({type(error).__name__}); "
                "log in to your cluster again"
            ) from error
        raise refusal(response.status, text, target._replace(context=self.context, host=host))

    def _credentials(self) -> dict[str, str]:
        """The headers that say who we are; a token that runs out is fetched anew."""
        settings = self._access.configuration.auth_settings()
        return {
            one["key"]: one["value"] for one in settings.values() if one["in"] == "header" and one["value"]
        }


def _dry(dry_run: bool) -> dict[str, str]:
    return {"dryRun": "All"} if dry_run else {}


def _warnings(headers: Any) -> list[str]:
    """The texts of `Warning: 299 - "text"` headers. Source: RFC 7234, section 5.5."""
    found = []
    for value in headers.getlist("Warning"):
        with contextlib.suppress(IndexError):
            found.append(value.split('"', 1)[1].rsplit('"', 1)[0].replace('\\"', '"'))
    return found


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
