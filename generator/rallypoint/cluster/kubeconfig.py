"""Which cluster: the kubeconfig's context, or the pod's service account; what is wrong with it in words."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from rallypoint.errors import InputError

_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
DEFAULT_NAMESPACE = "default"


class Access(NamedTuple):
    """How to reach a cluster."""

    configuration: Any
    """kubernetes.client.Configuration; the package ships no usable types."""
    context: str
    namespace: str
    """The context's; `default` when it names none."""


def access(context: str | None = None) -> Access:
    """The access that the kubeconfig (KUBECONFIG, ~/.kube/config) gives, or inside a pod its service account.

    Raises: InputError when there is none, it cannot be read, has no such context, or no address to call.
    """
    from kubernetes.client import Configuration

    logging.getLogger("kubernetes").setLevel(logging.CRITICAL)  # its own complaints would stand beside ours
    configuration = Configuration()
    if context is None and not _files() and "KUBERNETES_SERVICE_HOST" in os.environ:
        found = _in_cluster(configuration)
    else:
        configuration.host = ""  # the package's is localhost
        found = _from_file(configuration, context)
    _check_addresses(found)
    return found


def _check_addresses(found: Access) -> None:
    """Raises: InputError when the server, or the proxy on the way to it, is none that can be called."""
    from kubernetes.client.rest import should_bypass_proxies

    host, proxy = found.configuration.host, found.configuration.proxy
    if not _is_address(host):
        raise InputError(
            f"kubeconfig: the server of context {found.context!r} is no http(s) URL with a host "
            f"(got {_shown(host)}); write it as https://HOST:6443"
        )
    if not proxy or should_bypass_proxies(host, found.configuration.no_proxy or ""):
        return
    if not _is_address(proxy):
        raise InputError(
            f"kubeconfig (proxy-url), or HTTPS_PROXY: is no http(s) URL with a host (got {_shown(proxy)}); "
            "name an http(s) proxy, a SOCKS proxy is not supported"
        )


def _is_address(url: object) -> bool:
    """Whether it can be called: a scheme, a host, and a port that is a number."""
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _shown(url: object) -> str:
    """The value without the password that a URL may hold."""
    return repr(re.sub(r"//[^/]*@", "//***@", url) if isinstance(url, str) else url)


def _files() -> list[str]:
    """The kubeconfig files that exist."""
    given = os.environ.get("KUBECONFIG") or "~/.kube/config"
    return [path for path in given.split(os.pathsep) if path and Path(path).expanduser().is_file()]


def _from_file(configuration: Any, context: str | None) -> Access:
    import yaml
    from kubernetes import config

    files = _files()
    if not files:
        asked = os.environ.get("KUBECONFIG") or "~/.kube/config"
        raise InputError(f"kubeconfig: there is no file {asked}; set KUBECONFIG, or log in to a cluster")
    where = os.pathsep.join(files)
    try:
        contexts, current = _contexts(config, where)
        chosen = _chosen(contexts, current, context, where)
        with _complaints() as said:
            config.load_kube_config(
                context=chosen["name"], client_configuration=configuration, config_file=where
            )
    except config.ConfigException as error:
        raise InputError(
            f"kubeconfig {where}: {_short(error)}; mend it, or log in to your cluster again"
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError, AttributeError, TypeError, KeyError, ValueError) as error:
        raise InputError(f"kubeconfig {where}: cannot be read ({_short(error)}); mend the file") from error
    except OSError as error:
        raise InputError(f"kubeconfig {where}: cannot be read ({error.strerror or error})") from error
    if said:
        raise InputError(
            f"kubeconfig {where}: its login program failed ({said[0]}); log in, or mend the file"
        )
    fields = chosen.get("context") or {}
    if not isinstance(fields.get("namespace") or "", str):
        raise InputError(
            f"kubeconfig {where}: the context's namespace is no text (got {fields['namespace']!r}); quote it"
        )
    return Access(configuration, chosen["name"], fields.get("namespace") or DEFAULT_NAMESPACE)


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """What is logged meanwhile: the package only logs that a login program failed, and goes on without."""
    said: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        yield said
    finally:
        logging.getLogger().removeHandler(handler)


def _contexts(config: Any, where: str) -> tuple[list[dict[str, Any]], str | None]:
    """All contexts and the name of the current one, without which the package reads none."""
    try:
        contexts, current = config.list_kube_config_contexts(config_file=where)
    except config.ConfigException as error:
        if "current-context" in str(error):
            text = f"kubeconfig {where}: no context is set; name one with --context"
            raise InputError(text) from error
        raise
    return list(contexts), (current or {}).get("name")


def _chosen(
    contexts: list[dict[str, Any]], current: str | None, wanted: str | None, where: str
) -> dict[str, Any]:
    """The context that is asked for, else the current one."""
    name = wanted if wanted is not None else current
    found = [one for one in contexts if one["name"] == name]
    if not found:
        names = ", ".join(repr(one["name"]) for one in contexts) or "none"
        raise InputError(f"--context: kubeconfig {where} has no context {name!r}; it has {names}")
    return found[0]


def _in_cluster(configuration: Any) -> Access:
    from kubernetes import config

    try:
        config.load_incluster_config(client_configuration=configuration)
        namespace = (_ACCOUNT / "namespace").read_text(encoding="utf-8").strip()
    except (config.ConfigException, OSError) as error:
        raise InputError(
            f"kubeconfig: none here, and the pod has no service account ({_short(error)}); set KUBECONFIG"
        ) from error
    return Access(configuration, "", namespace or DEFAULT_NAMESPACE)


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
