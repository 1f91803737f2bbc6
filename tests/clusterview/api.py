"""A small HTTP server that answers as an API server would, and keeps what it was asked."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Call(NamedTuple):
    """One request."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]


def missing(call: Call) -> tuple[int, Any]:
    """Kubernetes' own kinds have no objects, every namespace is there, and no other kind is known."""
    known = re.fullmatch(r"/(?:api|apis/(?:apps|batch|networking\.k8s\.io))/v1/(.+)", call.path)
    if not known:
        return 404, "404 page not found"
    parts = known[1].split("/")
    if parts[0] == "namespaces" and len(parts) == 2:
        return 200, {"kind": "Namespace", "metadata": {"name": parts[1]}}
    kind, *name = parts[2:] if parts[0] == "namespaces" else parts
    if call.method == "GET" and not name:
        return 200, items()
    return 404, status(404, f"{kind} {name} not found", "NotFound", name="/".join(name), kind=kind)


class Api:
    """Answers by method and path; what nobody has put there is as in an empty cluster without operators."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._answers: dict[tuple[str, str], tuple[int, Any, dict[str, str]]] = {}
        self._first: dict[tuple[str, str], list[tuple[int, Any, dict[str, str]]]] = {}
        self.host = ""

    def put(self, method: str, path: str, body: Any, status: int = 200, **headers: str) -> None:
        self._answers[method, path] = status, body, headers

    def put_first(self, method: str, path: str, *answers: tuple[int, Any]) -> None:
        """What is answered before what `put` says, each once."""
        self._first[method, path] = [(status, body, {}) for status, body in answers]

    def answer(self, call: Call) -> tuple[int, Any, dict[str, str]]:
        self.calls.append(call)
        if self._first.get((call.method, call.path)):
            return self._first[call.method, call.path].pop(0)
        put = self._answers.get((call.method, call.path)) or self._answers.get((call.method, "*"))
        return put or (*missing(call), {})

    def said(self, method: str) -> list[str]:
        """The paths of all requests of that method."""
        return [call.path for call in self.calls if call.method == method]


@contextmanager
def serving(api: Api):
    """The server, on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            status, document, headers = api.answer(
                Call(self.command, parts.path, query, body, dict(self.headers))
            )
            data = document.encode() if isinstance(document, str) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PATCH = do_POST = do_DELETE = handle_any

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    api.host = f"http://127.0.0.1:{server.server_port}"
    yield api
    server.shutdown()
    server.server_close()


def kubeconfig(host: str, namespace: str = "research", token: str = "t0ken") -> dict[str, Any]:
    """A kubeconfig with two contexts; the current one leads to `host`."""
    context = {"cluster": "c", "user": "u", "namespace": namespace}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": host}}],
        "users": [{"name": "u", "user": {"token": token}}],
        "contexts": [
            {"name": "here", "context": context},
            {"name": "there", "context": {**context, "namespace": "x"}},
        ],
    }


def status(code: int, message: str, reason: str = "", **details: Any) -> dict[str, Any]:
    """The document of a refusal."""
    fields = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
    return {**fields, "message": message, "reason": reason, "details": details}


def items(*found: dict[str, Any]) -> dict[str, Any]:
    """A list of objects."""
    return {"kind": "List", "apiVersion": "v1", "items": list(found)}
