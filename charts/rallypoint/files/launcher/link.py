"""A node's connection to the store of node 0: sends its document, brings the plan, and knows why it cannot.

All of it happens in a thread, so that neither a name server nor a frozen machine can hold up the launcher.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any, cast

from documents import Document, Plan
from job import Job
from table import REPLACED

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 5.0
POLL_SECONDS = 0.2


class RefusedError(Exception):
    """The store answered, but not with a plan."""


def poll_seconds(nodes: int) -> float:
    """Time between two exchanges of a node: longer in a large job, so that node 0 answers some 1000 a
    second at most.
    """
    return max(POLL_SECONDS, nodes / 1000)


def reached(host: str, port: int) -> socket.socket:
    """A connection to the first address of the name that answers; the name is looked up afresh each time.

    Raises: ConnectionError, which says what is wrong in words.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ConnectionError(f"the name {host} does not resolve ({why})") from error
    addresses = sorted({str(entry[4][0]) for entry in found})
    last: OSError | None = None
    for address in addresses:
        try:
            return socket.create_connection((address, port), timeout=CONNECT_SECONDS)
        except OSError as error:
            last = error
    where = f"{host}:{port} = {', '.join(addresses)}"
    if isinstance(last, ConnectionRefusedError):
        raise ConnectionError(f"nobody listens yet at {where} (connection refused)")
    if isinstance(last, TimeoutError):
        raise ConnectionError(f"no answer from {where} within {CONNECT_SECONDS:.0f} s")
    raise ConnectionError(f"{where} cannot be reached ({last.strerror or last if last else 'no address'})")


class Link:
    """The latest plan (None until the first), whether the present document has arrived, and the trouble in
    words.
    """

    def __init__(self, job: Job, document: Document) -> None:
        self.plan: Plan | None = None
        self.trouble = "not tried yet"
        self.trouble_since = time.monotonic()
        self.replaced = False
        self._job, self._document = job, document
        self._delivered: Document | None = None
        self._version = 0
        self._changed = threading.Condition()
        loopback = "::1" if job.host == "::1" else "127.0.0.1"  # node 0 needs no name to find itself
        self._where = (loopback if job.index == 0 else job.host, job.port)
        threading.Thread(target=self._talk, daemon=True).start()

    def send(self, document: Document) -> None:
        """The document to send from now on."""
        with self._changed:
            if document != self._document:
                self._document = document
                self._changed.notify()

    @property
    def delivered(self) -> bool:
        """Whether the store has the present document."""
        return self._delivered is self._document

    def _talk(self) -> None:
        connection: socket.socket | None = None
        while True:
            try:
                if connection is None:
                    connection, self._version, self._delivered = self._connect(), 0, None
                self._exchange(connection)
                self.trouble = ""
            except (OSError, ValueError, KeyError, RecursionError, RefusedError) as error:
                self._in_trouble(error)
                if connection is not None:
                    connection.close()
                connection = None
            with self._changed:
                if connection is None or self.delivered:
                    self._changed.wait(poll_seconds(self._job.nodes))

    def _connect(self) -> socket.socket:
        connection = reached(*self._where)
        connection.settimeout(ANSWER_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _exchange(self, connection: socket.socket) -> None:
        mine = self._document
        message: dict[str, Any] = {
            "run_id": self._job.run_id,
            "index": self._job.index,
            "seen": self._version,
            "launcher": mine["launcher"],
        }
        if mine is not self._delivered:
            message["document"] = mine  # else a sign of life is enough
        connection.sendall(json.dumps(message).encode() + b"\n")
        answer = self._line(connection)
        if "refused" in answer:
            self.replaced = answer["refused"] == REPLACED
            raise RefusedError(f"{self._where[0]}:{self._where[1]} {answer['refused']}")
        if "plan" in answer:
            self.plan = cast(Plan, answer["plan"])
        self._version = answer["version"]
        self._delivered = mine

    def _line(self, connection: socket.socket) -> dict[str, Any]:
        """One answer. A peer that sends it byte by byte is cut off in time too."""
        until, came = time.monotonic() + ANSWER_SECONDS, b""
        while not came.endswith(b"\n"):
            piece = connection.recv(65536)
            came += piece
            if not piece:
                raise ConnectionError(f"{self._where[0]}:{self._where[1]} closed the connection")
            if time.monotonic() > until:
                raise TimeoutError
        answer = json.loads(came)
        if not isinstance(answer, dict):
            raise ValueError("not an answer of a launcher's store")  # noqa: TRY004 - as damaged JSON
        return answer

    def _in_trouble(self, error: Exception) -> None:
        if isinstance(error, TimeoutError):
            text = f"no answer from {self._where[0]}:{self._where[1]} for {ANSWER_SECONDS:.0f} s"
        elif isinstance(error, (ValueError, KeyError, RecursionError)):
            text = f"{self._where[0]}:{self._where[1]} is not a launcher's store"
        else:
            text = str(error) or type(error).__name__
        if not self.trouble:
            self.trouble_since = time.monotonic()
        self.trouble = text
