"""The programs, each compiled from a pinned Go module into a cache folder named by its content."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from .places import SOURCES, cache
from .progress import ClusterError, say


@dataclass(frozen=True)
class Module:
    """One wrapper module under go/: what it requires and the programs it yields."""

    name: str
    requires: str
    """The module whose version is the product's; empty for our own code."""
    programs: dict[str, str]
    """File name of each program to its Go package."""
    stamps: dict[str, str] = field(default_factory=dict)
    """Variables set by the linker; `{version}`, `{major}` and `{minor}` come from go.mod."""

    @property
    def source(self) -> Path:
        return SOURCES / self.name

    @property
    def version(self) -> str:
        """The pinned version, `v1.34.4`; `v0.0.0` for our own code."""
        found = re.search(rf"{re.escape(self.requires)} (v\S+)", (self.source / "go.mod").read_text())
        return found[1] if self.requires and found else "v0.0.0"

    @property
    def folder(self) -> Path:
        """`<cache>/<name>-<hash of go.mod, go.sum and our own Go files>`."""
        digest = hashlib.sha256()
        for file in sorted(path for path in self.source.rglob("*") if path.suffix in (".mod", ".sum", ".go")):
            digest.update(f"{file.relative_to(self.source)}\n".encode() + file.read_bytes())
        return cache() / f"{self.name}-{digest.hexdigest()[:12]}"

    @property
    def is_built(self) -> bool:
        return all((self.folder / program).exists() for program in self.programs)


KUBERNETES = Module(
    "kubernetes",
    "k8s.io/kubernetes",
    {
        name: f"k8s.io/kubernetes/cmd/{name}"
        for name in (
            "kubectl",
            "kube-apiserver",
            "kube-controller-manager",
            "kube-scheduler",
            "kubelet",
            "kube-proxy",
        )
    },
    {  # without these the API server calls itself v0.0.0, and kubectl and helm refuse it
        "k8s.io/component-base/version.gitVersion": "{version}",
        "k8s.io/component-base/version.gitMajor": "{major}",
        "k8s.io/component-base/version.gitMinor": "{minor}",
        "k8s.io/component-base/version.gitTreeState": "clean",
    },
)
HELM = Module(
    "helm",
    "helm.sh/helm/v3",
    {"helm": "helm.sh/helm/v3/cmd/helm"},
    {"helm.sh/helm/v3/internal/version.version": "{version}"},
)
ETCD = Module("etcd", "go.etcd.io/etcd/server/v3", {"etcd": "go.etcd.io/etcd/server/v3"})
COREDNS = Module("coredns", "github.com/coredns/coredns", {"coredns": "github.com/coredns/coredns"})
KUBE_ROUTER = Module(
    "kube-router",
    "github.com/cloudnativelabs/kube-router/v2",
    {"kube-router": "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router"},
)
TRAINING_OPERATOR = Module(
    "training-operator",
    "github.com/kubeflow/training-operator",
    {"manager": "github.com/kubeflow/training-operator/cmd/training-operator.v1"},
)
JOBSET = Module("jobset", "sigs.k8s.io/jobset", {"manager": "sigs.k8s.io/jobset"})
TRAINER = Module(
    "trainer",
    "github.com/kubeflow/trainer/v2",
    {"manager": "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager"},
)
KUEUE = Module("kueue", "sigs.k8s.io/kueue", {"manager": "sigs.k8s.io/kueue/cmd/kueue"})
POD = Module("pod", "", {"pause": "./pause", "probe": "./probe"})

MODULES = (HELM, KUBERNETES, ETCD, COREDNS, POD, KUBE_ROUTER, JOBSET, TRAINING_OPERATOR, TRAINER, KUEUE)
"""In the order they are built: kubectl and helm are wanted by others first."""


def build_all() -> None:
    """Every program in the cache; what is there already stays. About 16 minutes on two bare cores."""
    for module in MODULES:
        if module.is_built:
            say(f"build {module.name} {module.version}: in the cache")
            continue
        for program in module.programs:
            if not (module.folder / program).exists():
                compile_program(module, program)


def compile_program(module: Module, program: str) -> None:
    """Compiles aside and renames, so that an interrupted build leaves nothing that looks finished."""
    module.folder.mkdir(parents=True, exist_ok=True)
    target = module.folder / program
    partial = target.with_suffix(".partial")
    say(f"build {module.name} {module.version}: {program} ...")
    start = time.monotonic()
    command = ["go", "build", "-trimpath", "-ldflags", linker_flags(module), "-o", str(partial)]
    result = subprocess.run(
        [*command, module.programs[program]],
        cwd=module.source,
        env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": f"-mod=readonly -p={os.cpu_count() or 1}"},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.nice(19),  # the machine is in use meanwhile
    )
    if result.returncode != 0:
        raise ClusterError(f"build {module.name}: {program} does not compile\n{result.stderr[-4000:]}")
    partial.rename(target)
    say(f"build {module.name} {module.version}: {program} {time.monotonic() - start:.0f} s")


def linker_flags(module: Module) -> str:
    """`-s -w -X <variable>=<value> ...`: no debug tables (a third of the size), and the version stamps."""
    major, minor = module.version.removeprefix("v").split(".")[:2]
    values = {"version": module.version, "major": major, "minor": minor}
    stamps = (f"-X {key}={value.format(**values)}" for key, value in module.stamps.items())
    return " ".join(["-s", "-w", *stamps])


def module_source(module: Module) -> Path:
    """The required module's own files in Go's cache, with the official manifests; fetched if need be."""
    result = subprocess.run(
        ["go", "mod", "download", "-json", f"{module.requires}@{module.version}"],
        cwd=module.source,
        capture_output=True,
        text=True,
    )
    if result.returncode != 0:
        raise ClusterError(f"{module.requires}: cannot be fetched\n{result.stdout}{result.stderr}")
    return Path(json.loads(result.stdout)["Dir"])
