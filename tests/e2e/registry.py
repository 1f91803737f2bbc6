"""A registry for OCI artifacts on a free port of this machine, as Debian packages it."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..cluster.packages import install_packages
from ..cluster.places import REGISTRY_CONFIG
from ..cluster.progress import wait_until

PROGRAM = "docker-registry"


@contextmanager
def registry(folder: Path) -> Iterator[str]:
    """A running registry that keeps its blobs in the folder; gives `127.0.0.1:<port>`."""
    install_packages({PROGRAM: PROGRAM})  # its package has the same name
    port = free_port()
    storage = {"filesystem": {"rootdirectory": str(folder / "blobs")}}
    settings = {"version": 0.1, "storage": storage, "http": {"addr": f"127.0.0.1:{port}"}}
    path = folder / REGISTRY_CONFIG
    path.write_text(json.dumps(settings))
    with (folder / "registry.log").open("w") as log:
        process = subprocess.Popen([PROGRAM, "serve", str(path)], stdout=log, stderr=log)
        try:
            wait_until("the registry to listen", lambda: listens(port), 30)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
