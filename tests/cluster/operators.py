"""The four operators: their official manifests and webhooks, with images of the binaries that were built."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .build import JOBSET, KUBERNETES, KUEUE, POD, TRAINER, TRAINING_OPERATOR, Module, module_source
from .containerd import image_names, import_image
from .images import PAUSE_IMAGE, PROBE_IMAGE, write_archive
from .kubectl import kubectl, kubectl_or_fail
from .places import CONFIG, cache
from .progress import ClusterError, step, wait_until

SAMPLES = Path(__file__).parent / "samples"
"""One small object per webhook; TrainJob's needs a runtime that is there for good, so `up` leaves it out."""


@dataclass(frozen=True)
class Operator:
    """One operator: its module, the folder of official manifests in there, and where it is installed."""

    module: Module
    manifests: str
    namespace: str


OPERATORS = (
    Operator(TRAINING_OPERATOR, "manifests", "kubeflow"),
    Operator(JOBSET, "config", "jobset-system"),
    Operator(TRAINER, "manifests", "kubeflow-system"),
    Operator(KUEUE, "config", "kueue-system"),
)


def rendered(operator: Operator) -> str:
    """The manifests as `kubectl kustomize` prints them; kept beside the binary: Go's module cache may go."""
    recipe = operator.module.source / "kustomization.yaml"
    digest = hashlib.sha256(recipe.read_bytes()).hexdigest()[:12]
    kept = operator.module.folder / f"manifests-{digest}.yaml"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(module_source(operator.module) / operator.manifests, Path(folder, "official"))
            shutil.copy(recipe, folder)
            # no cluster is needed for this, so no kubeconfig either
            command = [str(KUBERNETES.folder / "kubectl"), "kustomize", folder]
            result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise ClusterError(f"{operator.module.name}: kustomize: {result.stderr.strip()}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        unfinished = kept.with_suffix(".partial")
        unfinished.write_text(result.stdout)
        unfinished.rename(kept)
    return kept.read_text()


def operator_image(operator: Operator) -> str:
    """The image that the Deployment names; each operator has exactly one."""
    images = re.findall(r"^\s+(?:- )?image: (\S+)$", rendered(operator), flags=re.MULTILINE)
    (image,) = set(map(str, images))
    return image


def import_images() -> None:
    """The operators' images, the pause image and the probe image, unless containerd has them already."""
    import_program(POD, "pause", PAUSE_IMAGE)
    import_program(POD, "probe", PROBE_IMAGE)
    for operator in OPERATORS:
        import_program(operator.module, "manager", operator_image(operator))


def import_program(module: Module, program: str, image: str) -> None:
    """A mark in the cache says which build it holds: the name stays the same when the code changes."""
    mark = cache() / "containerd" / f"imported-{module.folder.name}-{program}"
    if mark.exists() and image in image_names():
        return
    with step(f"image {image}"), tempfile.TemporaryDirectory(dir=cache()) as folder:
        archive = Path(folder, "image.tar")
        write_archive(module.folder / program, program, image, archive)
        import_image(archive)
    mark.touch()


def apply_operators() -> list[Operator]:
    """Applies what no `up` has applied yet; those that one has, and that do not run, are for `mend`."""
    new = [operator for operator in OPERATORS if not mark_of(operator).exists()]
    for operator in new:
        apply(operator)
    return [operator for operator in OPERATORS if operator not in new and not is_available(operator)]


def mend(operator: Operator) -> None:
    """Applies it again, once there is a node: Kueue, in a pod, has a word in every Deployment."""
    until = time.monotonic() + 120
    while True:
        try:
            return apply(operator)
        except ClusterError:
            if time.monotonic() > until:
                raise
        time.sleep(1)


def apply(operator: Operator) -> None:
    """Applied on the server's side: the CRDs are larger than an annotation may be."""
    kubectl_or_fail("apply", "--server-side", "--force-conflicts", "--filename=-", stdin=rendered(operator))
    mark_of(operator).touch()


def mark_of(operator: Operator) -> Path:
    """The file that says that these very manifests are in the cluster."""
    return CONFIG / f"applied-{hashlib.sha256(rendered(operator).encode()).hexdigest()[:12]}"


def is_available(operator: Operator) -> bool:
    """Whether the namespace has Deployments, and all of them say so."""
    path = 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Available")].status} {end}'
    arguments = ("get", "deployments", "--namespace", operator.namespace, "--request-timeout=5s")
    return set(kubectl(*arguments, "--output", path).stdout.split()) == {"True"}


def wait_for_operators() -> None:
    """Returns when all are Available (probes first ask after 5 to 10 s) and their webhooks answer."""
    for operator in OPERATORS:
        arguments = ["wait", "deployment", "--all", "--for=condition=Available", "--timeout=300s"]
        kubectl_or_fail(*arguments, "--namespace", operator.namespace)
    for sample in sorted(set(SAMPLES.glob("*.yaml")) - {SAMPLES / "trainjob.yaml"}):
        wait_until(f"webhooks for {sample.name}", partial(accepts, sample), 60)


def accepts(sample: Path) -> bool:
    arguments = ("apply", "--server-side", "--dry-run=server", "--namespace=default")
    return kubectl(*arguments, f"--filename={sample}").returncode == 0
