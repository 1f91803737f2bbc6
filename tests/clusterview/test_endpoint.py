"""An address that is no Kubernetes, a server or a proxy that cannot be called, a Ctrl-C at the very start."""

import json
import subprocess
import sys

import pytest

from .api import kubeconfig, status
from .verb import JOB, verb

VERBS = [["status"], ["status", "a"], ["logs", "a"], ["delete", "a"]]
PAGES = {
    "a web server": "<html><body>Not Found</body></html>",
    "a path below the API": "404 page not found\n",
    "another program": {"error": "no such page"},
    "a proxy of clusters": status(404, "no such cluster"),
}
SOCKS = "socks5://me:secret@127.0.0.1:1"


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Writes the kubeconfig, with changes of its cluster and its context; `api` comes before it."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    path = tmp_path / "config"
    monkeypatch.setenv("KUBECONFIG", str(path))

    def write(cluster, context=(), host="http://127.0.0.1:1"):
        document = kubeconfig(host)
        document["clusters"][0]["cluster"].update(cluster)
        document["contexts"][0]["context"].update(context)
        path.write_text(json.dumps(document))

    return write


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_server_that_knows_nothing_is_no_empty_cluster(words, page, api, capsys):
    for method in ("GET", "PATCH", "POST", "DELETE"):
        api.put(method, "*", PAGES[page], 404)
    ended = verb(capsys, *words)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"cluster {api.host}: the address does not answer as Kubernetes does (404: ")
    assert ended.err.endswith("; check the server in the kubeconfig\n")


@pytest.mark.parametrize("kind", ["Job", "JobSet"])
def test_apply_takes_a_web_server_for_none_without_a_kind(kind, api, capsys, tmp_path):
    (tmp_path / "job.yaml").write_text(JOB)
    for method in ("GET", "PATCH", "POST"):
        api.put(method, "*", PAGES["a web server"], 404)
    ended = verb(capsys, "apply", str(tmp_path / "job.yaml"), "--kind", kind)
    assert (ended.code, "the address does not answer as Kubernetes does" in ended.err) == (1, True)
    assert "no such CRD" not in ended.err


def test_what_is_missing_in_a_real_cluster_is_none(cluster):
    from rallypoint.cluster.resource import CONFIG_MAP, RUNTIME

    assert (cluster.get(CONFIG_MAP, "a"), cluster.get(RUNTIME, "a"), cluster.list(RUNTIME, "x")) == (
        None, None, []
    )  # fmt: skip


@pytest.mark.parametrize("proxy", [SOCKS, 5, "foo", "http://", "http://h:port", ["http://h"]], ids=str)
def test_a_proxy_that_is_none_is_wrong_input(proxy, config, capsys):
    config({"proxy-url": proxy})
    ended = verb(capsys, "status")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert ended.err.startswith("kubeconfig (proxy-url), or HTTPS_PROXY: is no http(s) URL with a host (got ")
    assert "a SOCKS proxy is not supported" in ended.err
    assert "secret" not in ended.err


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "ALL_PROXY"])
def test_a_socks_proxy_of_the_environment_is_wrong_input(name, config, capsys, monkeypatch):
    config({}, host="https://127.0.0.1:1")
    monkeypatch.setenv(name, SOCKS)
    ended = verb(capsys, "status")
    assert (ended.code, "a SOCKS proxy is not supported" in ended.err) == (2, True)


def test_a_socks_proxy_that_is_not_on_the_way_does_no_harm(config, capsys, monkeypatch):
    config({}, host="https://127.0.0.1:1")
    monkeypatch.setenv("HTTPS_PROXY", SOCKS)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    ended = verb(capsys, "status")
    assert (ended.code, "connection refused" in ended.err) == (1, True)


def test_an_http_proxy_is_called(api, config, capsys):
    config({"proxy-url": api.host}, host="http://cluster.invalid")
    ended = verb(capsys, "status")
    assert (ended.code, bool(api.calls)) == (0, True)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("server", ["foo", "", "/", "host:6443", "ftp://host", "https://", "https://h:x", 5])
def test_a_server_that_is_none_is_wrong_input(server, config, capsys):
    config({"server": server})
    ended = verb(capsys, "status")
    assert (ended.code, ended.err[:10], ended.err.count("\n")) == (2, "kubeconfig", 1)
    assert server == 5 or "the server of context 'here' is no http(s) URL with a host (got " in ended.err


def test_a_kubeconfig_without_a_server_does_not_lead_to_this_machine(tmp_path, config, capsys):
    document = kubeconfig("")
    del document["clusters"][0]["cluster"]["server"]
    document["clusters"][0]["cluster"]["tls-server-name"] = "x"
    config({})
    (tmp_path / "config").write_text(json.dumps(document))
    ended = verb(capsys, "status")
    assert (ended.code, "is no http(s) URL with a host (got '')" in ended.err) == (2, True)


@pytest.mark.parametrize("namespace", ["team/../default", "A", "a b", "x" * 64])
@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_the_namespace_of_the_context_is_checked_as_the_option_s_is(words, namespace, api, config, capsys):
    config({}, {"namespace": namespace}, host=api.host)
    ended = verb(capsys, *words)
    assert (ended.code, api.calls) == (2, [])
    assert ended.err == (
        "kubeconfig: the namespace of context 'here' cannot be the name of a namespace "
        f"(got {namespace!r}); give lower-case letters, digits and '-', or name another with -n\n"
    )
    assert verb(capsys, "status", "-n", "mine") == (0, "", "no jobs in namespace 'mine'\n")


INTERRUPTED = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            sys.argv[1] = ""
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
if sys.argv[2] == "ignored":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
from rallypoint.cli import main
main(["--help"] if sys.argv[2] == "ignored" else ["status"])
"""


def interrupted(module, mode=""):
    command = [sys.executable, "-c", INTERRUPTED, module, mode]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stderr, bool(ended.stdout)


@pytest.mark.parametrize("module", ["typer", "rallypoint.cli.run", "kubernetes"])
def test_ctrl_c_while_modules_load_ends_in_silence(module, config):
    config({})
    assert interrupted(module) == (130, "", False)


def test_ctrl_c_stays_ignored_where_it_was():
    assert interrupted("typer", "ignored") == (0, "", True)


def test_ctrl_c_is_python_s_again_once_the_verbs_are_loaded(capsys):
    import signal

    verb(capsys, "--help")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
