"""Keys and certificates of the cluster, made by openssl: an authority, then one leaf per component."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path

from .network import NODE_ADDRESS, SERVER, SERVICE_ADDRESS
from .places import CONFIG, KUBECONFIG, PKI
from .progress import ClusterError

LIFETIME_DAYS = "30"
"""A test cluster does not live longer."""

CLIENTS = {
    "admin": "/O=system:masters/CN=admin",
    "controller-manager": "/CN=system:kube-controller-manager",
    "scheduler": "/CN=system:kube-scheduler",
    "kube-proxy": "/CN=system:kube-proxy",
    "kubelet": "/O=system:nodes/CN=system:node:node-0",
    # no bootstrap role exists for these two; they only read
    "coredns": "/O=system:masters/CN=coredns",
    "kube-router": "/O=system:masters/CN=kube-router",
}
"""Kubeconfig to the subject of its certificate; the names are those of the RBAC bootstrap policy."""


def make_certificates() -> None:
    """Everything under `<state>/pki`, and one kubeconfig per client; kept when it is there already."""
    if KUBECONFIG.exists():
        return
    PKI.mkdir(parents=True, exist_ok=True)
    PKI.chmod(0o700)
    CONFIG.mkdir(parents=True, exist_ok=True)
    make_authority("ca")
    make_authority("front-proxy-ca")
    names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]
    addresses = ["127.0.0.1", NODE_ADDRESS, SERVICE_ADDRESS]
    alternatives = ",".join([f"DNS:{name}" for name in names] + [f"IP:{address}" for address in addresses])
    issue("apiserver", "/CN=kube-apiserver", "ca", alternatives)
    issue("apiserver-kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client", "ca")
    issue("front-proxy-client", "/CN=front-proxy-client", "front-proxy-ca")
    openssl("genpkey", "-algorithm", "EC", *CURVE, "-out", str(PKI / "service-account.key"))
    public = ["-pubout", "-out", str(PKI / "service-account.pub")]
    openssl("pkey", "-in", str(PKI / "service-account.key"), *public)
    for client, subject in CLIENTS.items():
        issue(client, subject, "ca")
        write_kubeconfig(client, CONFIG / f"{client}.kubeconfig")
    write_kubeconfig("admin", KUBECONFIG)  # last: its presence says that all the others are there


CURVE = ("-pkeyopt", "ec_paramgen_curve:prime256v1")


def new_certificate(name: str, subject: str, *arguments: str) -> None:
    files = ["-keyout", str(PKI / f"{name}.key"), "-out", str(PKI / f"{name}.crt")]
    openssl(
        *("req", "-x509", "-newkey", "ec", *CURVE, "-nodes", *files),
        *("-subj", subject, "-days", LIFETIME_DAYS, *arguments),
    )


def make_authority(name: str) -> None:
    new_certificate(name, f"/CN=rallypoint-{name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign")


def issue(name: str, subject: str, authority: str, alternatives: str = "") -> None:
    """`<name>.key` and `<name>.crt`, for clients and, with alternatives, for a server too."""
    extensions = ["basicConstraints=critical,CA:FALSE", "extendedKeyUsage=serverAuth,clientAuth"]
    if alternatives:
        extensions.append(f"subjectAltName={alternatives}")
    signer = ["-CA", str(PKI / f"{authority}.crt"), "-CAkey", str(PKI / f"{authority}.key")]
    new_certificate(name, subject, *signer, *(part for line in extensions for part in ("-addext", line)))


def openssl(*arguments: str) -> None:
    result = subprocess.run(["openssl", *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise ClusterError(f"openssl {' '.join(arguments)}: exit {result.returncode}\n{result.stderr}")


def write_kubeconfig(client: str, target: Path) -> None:
    """A kubeconfig that stands alone: keys inside, so that it can be copied anywhere."""
    cluster = {"server": SERVER, "certificate-authority-data": encoded("ca.crt")}
    user = {
        "client-certificate-data": encoded(f"{client}.crt"),
        "client-key-data": encoded(f"{client}.key"),
    }
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "rallypoint-test", "cluster": cluster}],
        "users": [{"name": client, "user": user}],
        "contexts": [
            {"name": "rallypoint-test", "context": {"cluster": "rallypoint-test", "user": client}},
        ],
        "current-context": "rallypoint-test",
    }
    target.touch(mode=0o600)
    target.write_text(json.dumps(document, indent=1))


def encoded(file: str) -> str:
    return base64.b64encode((PKI / file).read_bytes()).decode()
