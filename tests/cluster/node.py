"""The node's programs: kubelet, kube-proxy, DNS, and kube-router for NetworkPolicy."""

from __future__ import annotations

import json

from .build import COREDNS, KUBE_ROUTER, KUBERNETES
from .kubectl import kubectl, kubectl_or_fail
from .network import DOMAIN, NODE_ADDRESS, NODE_NAME, POD_RANGE, SERVICE_RANGE
from .places import CONFIG, CONTAINERD_SOCKET, KUBELET, PKI, STATE
from .processes import Program, last_words, running_pid, start
from .progress import ClusterError, wait_until

KUBELET_CONFIG = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "address": NODE_ADDRESS,
    "healthzPort": 10248,
    "containerRuntimeEndpoint": f"unix://{CONTAINERD_SOCKET}",
    "cgroupDriver": "cgroupfs",
    "failCgroupV1": False,
    "failSwapOn": False,
    "singleProcessOOMKill": True,  # as on cgroup v1; v2 would kill the launcher with its training process
    "clusterDomain": DOMAIN,
    "clusterDNS": [NODE_ADDRESS],
    "syncFrequency": "5s",  # an operator's new webhook certificate reaches its pod so soon; default 1 min
    "resolvConf": str(CONFIG / "resolv.conf"),
    "podLogsDir": str(STATE / "pod-logs"),
    "volumePluginDir": str(STATE / "flexvolume"),
    "authentication": {"anonymous": {"enabled": False}, "x509": {"clientCAFile": str(PKI / "ca.crt")}},
    "authorization": {"mode": "Webhook"},
    # a developer's disk may be nearly full; evicting test pods or images would not help it
    "evictionHard": {"memory.available": "100Mi", "nodefs.available": "0%", "imagefs.available": "0%"},
    "imageGCHighThresholdPercent": 100,
    "imageMinimumGCAge": "1000h",
    "maxPods": 250,
}

COREFILE = f"""\
.:53 {{
  bind {NODE_ADDRESS}
  errors
  ready {NODE_ADDRESS}:8181
  kubernetes {DOMAIN} in-addr.arpa {{
    kubeconfig {CONFIG / "coredns.kubeconfig"}
    ttl 5
  }}
  cache 5
}}
"""
"""No forwarding: nothing outside the cluster has a name, as on an air-gapped one."""


def kubelet() -> Program:
    command = [
        str(KUBERNETES.folder / "kubelet"),
        f"--config={CONFIG / 'kubelet.json'}",
        f"--kubeconfig={CONFIG / 'kubelet.kubeconfig'}",
        f"--root-dir={KUBELET}",
        f"--hostname-override={NODE_NAME}",
        f"--node-ip={NODE_ADDRESS}",
    ]
    return Program("kubelet", command, [(NODE_ADDRESS, 10250), ("127.0.0.1", 10248)])


def kube_proxy() -> Program:
    """With it Services work from the host too, so the API server reaches webhooks."""
    command = [
        str(KUBERNETES.folder / "kube-proxy"),
        f"--kubeconfig={CONFIG / 'kube-proxy.kubeconfig'}",
        f"--hostname-override={NODE_NAME}",
        f"--bind-address={NODE_ADDRESS}",
        f"--cluster-cidr={POD_RANGE}",
        "--proxy-mode=iptables",
        "--conntrack-max-per-core=0",  # leave the machine's own limit
    ]
    return Program("kube-proxy", command, [(NODE_ADDRESS, 10256), ("127.0.0.1", 10249)])


def coredns() -> Program:
    command = [str(COREDNS.folder / "coredns"), "-conf", str(CONFIG / "Corefile")]
    return Program("coredns", command, [(NODE_ADDRESS, 53), (NODE_ADDRESS, 8181)])


def kube_router() -> Program:
    """Only its firewall, which enforces NetworkPolicy; kube-proxy and CNI do the rest."""
    command = [
        str(KUBE_ROUTER.folder / "kube-router"),
        f"--kubeconfig={CONFIG / 'kube-router.kubeconfig'}",
        f"--hostname-override={NODE_NAME}",
        "--run-firewall=true",
        "--run-router=false",
        "--run-service-proxy=false",
        "--run-loadbalancer=false",
        "--enable-cni=false",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
    ]
    return Program("kube-router", command, [("0.0.0.0", 20244)])


NODE_PROGRAMS = (kubelet, kube_proxy, coredns, kube_router)


def start_node() -> None:
    """Writes the configuration and starts the programs; `wait_for_node` sees them through."""
    (CONFIG / "resolv.conf").write_text("")  # the host's search domains do not belong in a pod
    (CONFIG / "kubelet.json").write_text(json.dumps(KUBELET_CONFIG, indent=1))
    (CONFIG / "Corefile").write_text(COREFILE)
    for program in NODE_PROGRAMS:
        if program is not kube_router:
            start(program())


def node_is_ready() -> bool:
    path = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
    return kubectl("get", "node", NODE_NAME, "--output", path, "--request-timeout=5s").stdout == "True"


def wait_for_node() -> None:
    """Returns when the node is Ready; raises ClusterError with the log of a program that ended."""
    wait_until("node-0 to be registered", lambda: kubectl("get", "node", NODE_NAME).returncode == 0, 120)
    start(kube_router())  # it ends at once when the node is not there yet
    try:
        kubectl_or_fail("wait", "--for=condition=Ready", f"node/{NODE_NAME}", "--timeout=120s")
    except ClusterError as error:
        raise ClusterError(f"{error}\n{last_words('kubelet')}") from error
    for program in NODE_PROGRAMS:
        name = program().name
        if running_pid(name) is None:
            raise ClusterError(f"{name} ended:\n{last_words(name)}")
