"""etcd, the API server, the controller manager and the scheduler."""

from __future__ import annotations

from .build import ETCD, KUBERNETES
from .kubectl import kubectl
from .network import NODE_ADDRESS, SERVICE_RANGE
from .places import CONFIG, PKI, STATE
from .processes import Program, last_words, running_pid, start
from .progress import ClusterError, wait_until

ETCD_URL = "http://127.0.0.1:2379"


def etcd() -> Program:
    peer = "http://127.0.0.1:2380"
    command = [
        str(ETCD.folder / "etcd"),
        f"--data-dir={STATE / 'etcd'}",
        f"--listen-client-urls={ETCD_URL}",
        f"--advertise-client-urls={ETCD_URL}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",  # the data is gone after `down` anyway
    ]
    return Program("etcd", command, [("127.0.0.1", 2379), ("127.0.0.1", 2380)])


def api_server() -> Program:
    """Bound to every address, so that 10.96.0.1 and the bridge's address both reach it."""
    command = [
        str(KUBERNETES.folder / "kube-apiserver"),
        f"--etcd-servers={ETCD_URL}",
        "--bind-address=0.0.0.0",
        "--secure-port=6443",
        f"--advertise-address={NODE_ADDRESS}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--kubelet-preferred-address-types=InternalIP",  # logs and exec: node-0 is no name that resolves
        f"--client-ca-file={PKI / 'ca.crt'}",
        f"--tls-cert-file={PKI / 'apiserver.crt'}",
        f"--tls-private-key-file={PKI / 'apiserver.key'}",
        f"--kubelet-client-certificate={PKI / 'apiserver-kubelet-client.crt'}",
        f"--kubelet-client-key={PKI / 'apiserver-kubelet-client.key'}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={PKI / 'service-account.pub'}",
        f"--service-account-signing-key-file={PKI / 'service-account.key'}",
        # aggregation: without it Kueue's visibility API stays unavailable,
        # and then no namespace can be deleted
        f"--requestheader-client-ca-file={PKI / 'front-proxy-ca.crt'}",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={PKI / 'front-proxy-client.crt'}",
        f"--proxy-client-key-file={PKI / 'front-proxy-client.key'}",
    ]
    return Program("kube-apiserver", command, [("0.0.0.0", 6443)])


def controller_manager() -> Program:
    command = [
        str(KUBERNETES.folder / "kube-controller-manager"),
        f"--kubeconfig={CONFIG / 'controller-manager.kubeconfig'}",
        "--leader-elect=false",
        "--use-service-account-credentials",
        f"--service-account-private-key-file={PKI / 'service-account.key'}",
        f"--root-ca-file={PKI / 'ca.crt'}",
        f"--cluster-signing-cert-file={PKI / 'ca.crt'}",
        f"--cluster-signing-key-file={PKI / 'ca.key'}",
        f"--flex-volume-plugin-dir={STATE / 'flexvolume'}",
    ]
    return Program("kube-controller-manager", command, [("0.0.0.0", 10257)])


def scheduler() -> Program:
    command = [
        str(KUBERNETES.folder / "kube-scheduler"),
        f"--kubeconfig={CONFIG / 'scheduler.kubeconfig'}",
        f"--authentication-kubeconfig={CONFIG / 'scheduler.kubeconfig'}",
        f"--authorization-kubeconfig={CONFIG / 'scheduler.kubeconfig'}",
        "--leader-elect=false",
    ]
    return Program("kube-scheduler", command, [("0.0.0.0", 10259)])


def api_is_ready() -> bool:
    return kubectl("get", "--raw", "/readyz", "--request-timeout=2s").returncode == 0


def wait_for_api(seconds: float = 120) -> None:
    """Returns when `/readyz` says so: before the RBAC bootstrap the controller manager is forbidden all."""

    def ready_or_dead() -> bool:
        return api_is_ready() or any(running_pid(name) is None for name in ("etcd", "kube-apiserver"))

    wait_until("API server", ready_or_dead, seconds)
    for name in ("etcd", "kube-apiserver"):
        if running_pid(name) is None:
            raise ClusterError(f"{name} ended:\n{last_words(name)}")


def start_control_plane() -> None:
    start(etcd())
    start(api_server())
    wait_for_api()
    start(controller_manager())
    start(scheduler())
