"""The rendezvous store that node 0 hosts at the endpoint: JSON lines over TCP, one thread, nothing that can
block.

One exchange: a node sends its document (and the version of the plan that it has), the store answers with
the plan, or that nothing has changed, or why it refuses. No code travels, only JSON.
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Callable
from typing import Any

LONGEST_LINE = 1 << 20  # a document is some kilobytes; a stranger who sends more is cut off
IDLE_SECONDS = 60.0  # a connection that says nothing for so long is closed
MOST_CONNECTIONS = 4096

Answer = Callable[[Any], bytes]
"""The answer to one message, as a line."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at the endpoint: on loopback alone when the endpoint is there, else on every
    address.

    Raises: OSError when the port is taken.
    """
    if host in ("localhost", "127.0.0.1"):
        return socket.create_server(("127.0.0.1", port), backlog=512)
    if host == "::1":
        return socket.create_server((host, port), family=socket.AF_INET6, backlog=512)
    if socket.has_dualstack_ipv6():
        try:
            return socket.create_server(("", port), family=socket.AF_INET6, backlog=512, dualstack_ipv6=True)
        except OSError:
            pass  # IPv6 is switched off, or the port is taken: the next line says which
    return socket.create_server(("", port), backlog=512)


class Connection:
    """One node's connection: what came and is not a whole line yet, and what has not gone out yet."""

    def __init__(self, peer: socket.socket, now: float) -> None:
        self.peer, self.came, self.going, self.heard = peer, b"", b"", now

    def exchange(self, answer: Answer) -> bool:
        """Reads what is there and answers every whole line; False when the connection is over."""
        try:
            piece = self.peer.recv(65536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.heard = time.monotonic()
        self.came += piece
        *lines, self.came = self.came.split(b"\n")
        for line in lines:
            try:
                self.going += answer(json.loads(line)) + b"\n"
            except (ValueError, RecursionError):
                return False  # not JSON: a stranger
        return bool(piece) and len(self.came) < LONGEST_LINE and self.send()

    def send(self) -> bool:
        """Sends what the network takes; False when the connection is over."""
        try:
            while self.going:
                self.going = self.going[self.peer.send(self.going) :]
        except BlockingIOError:
            return len(self.going) < LONGEST_LINE
        except OSError:
            return False
        return True


class Store:
    """Serves the connections; `serve` is called again and again by the leader's thread."""

    def __init__(self, listener: socket.socket) -> None:
        self._selector = selectors.DefaultSelector()
        self._connections: set[Connection] = set()
        self._listener = listener
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ)

    def serve(self, seconds: float, answer: Answer) -> None:
        """Answers whoever speaks, for so long."""
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                self._accept()
            elif not key.data.exchange(answer):
                self._close(key.data)
        now = time.monotonic()
        for connection in list(self._connections):
            if now - connection.heard > IDLE_SECONDS or (connection.going and not connection.send()):
                self._close(connection)

    def _accept(self) -> None:
        try:
            peer, _ = self._listener.accept()
        except OSError:
            return  # gone again before it was taken
        if len(self._connections) >= MOST_CONNECTIONS:
            peer.close()
            return
        peer.setblocking(False)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(peer, time.monotonic())
        self._connections.add(connection)
        self._selector.register(peer, selectors.EVENT_READ, connection)

    def _close(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._selector.unregister(connection.peer)
        connection.peer.close()
