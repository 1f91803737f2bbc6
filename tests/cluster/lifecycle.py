"""The order of things: what `up`, `down` and `status` do, each of which may be repeated at any time."""

from __future__ import annotations

from .before import record
from .build import HELM, KUBERNETES, build_all
from .certificates import make_certificates
from .containerd import ctr, forget_containers, start_containerd
from .control_plane import api_is_ready, api_server, controller_manager, etcd, scheduler, start_control_plane
from .network import NODE_NAME, make_network
from .node import NODE_PROGRAMS, node_is_ready, start_node, wait_for_node
from .operators import OPERATORS, apply_operators, import_images, is_available, mend, wait_for_operators
from .packages import install_packages
from .places import KUBECONFIG, RUN, STATE
from .processes import Program, running_pid, start, started_names, stop
from .progress import ClusterError, say, step, wait_until
from .traces import remove_all


def programs() -> list[Program]:
    """Every program but containerd, in the order of starting."""
    control_plane = (etcd, api_server, controller_manager, scheduler)
    return [program() for program in (*control_plane, *NODE_PROGRAMS)]


def up() -> None:
    """Brings the whole cluster up. What is there stays, so it mends a half-finished or damaged one."""
    install_packages()
    build_all()
    record()
    RUN.mkdir(parents=True, exist_ok=True)
    with step("certificates, network"):
        make_certificates()
        make_network()
    with step("containerd"):
        found_running = running_pid("containerd") is not None
        start_containerd()
        if not found_running and running_pid("kubelet") is None:
            forget_containers()  # of an attempt that was killed
    import_images()
    with step("etcd, API server, controller manager, scheduler"):
        start_control_plane()
    with step("operators applied"):  # before the node: they end while their CRDs are not served
        damaged = apply_operators()
    with step("node Ready"):
        start_node()
        wait_for_node()
    with step("operators Available, webhooks answering"):
        for operator in damaged:
            mend(operator)
        wait_for_operators()


def down() -> None:
    """Ends what `up` started and removes every trace but the cache and the Debian packages."""
    if not STATE.exists() and not RUN.exists():
        say("nothing is up")
        return
    before = record()
    with step("programs ended"):
        for name in started_names():
            if name != "containerd":
                stop(name, grace_seconds=3)
    with step("containers ended"):
        if running_pid("containerd") is not None and ctr("version").returncode == 0:
            forget_containers()
        stop("containerd")
    with step("mounts, rules, settings and folders removed"):
        remove_all(before)


def status() -> tuple[list[str], bool]:
    """One line per part, and whether all of them are well."""
    names = ["containerd", *(program.name for program in programs())]
    parts = {name: running_pid(name) is not None for name in names}
    parts["API ready"] = parts["kube-apiserver"] and api_is_ready()
    if parts["API ready"]:
        parts[f"{NODE_NAME} Ready"] = node_is_ready()
        for operator in OPERATORS:
            parts[f"{operator.module.name} Available"] = is_available(operator)
    return [f"{'yes' if well else 'NO ':4}{name}" for name, well in parts.items()], all(parts.values())


def start_one(name: str) -> None:
    """Starts one program again, for tests that stopped it: `start coredns`."""
    if not STATE.exists():
        raise ClusterError(f"{name}: nothing is up; python -m tests.cluster up")
    start(next(program for program in programs() if program.name == name))
    if name == "kube-apiserver":
        wait_until("API server", api_is_ready, 60)


def environment() -> str:
    """What a shell needs to use the cluster, for `eval "$(python -m tests.cluster up)"`."""
    return f'export KUBECONFIG={KUBECONFIG} PATH="{KUBERNETES.folder}:{HELM.folder}:$PATH"'
