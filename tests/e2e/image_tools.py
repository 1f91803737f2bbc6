"""buildah and a registry: how images get from a Dockerfile into containerd on a machine without Docker."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..cluster.containerd import REGISTRY
from ..cluster.packages import install_packages
from ..cluster.places import CONFIG, REGISTRY_CONFIG, RUN, cache, image_store, scratch
from ..cluster.processes import Program, last_words, start, stop
from ..cluster.progress import ClusterError, wait_until

PACKAGES = {"buildah": "buildah", "docker-registry": "docker-registry", "mmdebstrap": "mmdebstrap"}
"""Program to its Debian package."""

LARGEST_REGISTRY = 8 << 30
"""Bytes; beyond it the registry's folder holds layers of images that nobody builds any more."""


def install_tools() -> None:
    install_packages(PACKAGES)


def buildah(*arguments: str) -> str:
    """stdout of the call. Its images lie in the cache folder, so that a second build finds the layers.

    Raises: ClusterError with the end of its messages.
    """
    storage = ["--root", str(image_store()), "--runroot", str(RUN / "buildah")]
    command = ["buildah", *storage, "--storage-driver", "overlay", *arguments]
    with scratch() as folder:
        environment = {**os.environ, "TMPDIR": folder}
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        told = (result.stdout + result.stderr)[-4000:]
        raise ClusterError(f"buildah {arguments[0]}: exit {result.returncode}\n{told}")
    return result.stdout.strip()


def is_built(image: str) -> bool:
    return image in buildah("images", "--format={{.Name}}:{{.Tag}}").split()


def build(image: str, dockerfile: Path, context: Path, base: str) -> None:
    """Builds with `base` as BASE_IMAGE. Isolation `chroot` needs no rights that a container lacks."""
    buildah(
        *("build", "--isolation=chroot", "--network=host", "--layers", "--pull=false"),
        *(f"--build-arg=BASE_IMAGE={base}", f"--file={dockerfile}", f"--tag={image}", str(context)),
    )


@contextmanager
def registry() -> Iterator[str]:
    """A registry at the address that containerd trusts; it keeps layers: a push sends only new ones."""
    folder = cache() / "registry"
    if folder.exists() and size(folder) > LARGEST_REGISTRY:
        shutil.rmtree(folder)
    config = CONFIG / REGISTRY_CONFIG
    config.write_text(
        f'{{version: 0.1, log: {{level: warn}}, storage: {{filesystem: {{rootdirectory: "{folder}"}}}},'
        f' http: {{addr: "{REGISTRY}"}}}}\n'
    )
    address, port = REGISTRY.split(":")
    program = Program("registry", ["docker-registry", "serve", str(config)], [(address, int(port))])
    start(program)
    try:
        wait_until("registry", lambda: answers(REGISTRY), 30)
        yield REGISTRY
    except ClusterError as error:
        raise ClusterError(f"{error}\n{last_words('registry')}") from error
    finally:
        stop("registry")


def answers(address: str) -> bool:
    found = subprocess.run(["curl", "-fsS", "--max-time", "2", f"http://{address}/v2/"], capture_output=True)
    return found.returncode == 0


def size(folder: Path) -> int:
    """Bytes of the files below `folder`."""
    return sum(Path(place, name).stat().st_size for place, _, names in os.walk(folder) for name in names)
