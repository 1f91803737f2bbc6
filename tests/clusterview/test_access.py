"""No kubeconfig, a broken one, no such context, nobody who listens: one message each, no traceback."""

import json
import socket
import subprocess
import sys

import pytest

from .api import items, kubeconfig
from .verb import JOB, verb

VERBS = [["status"], ["logs", "mrpc"], ["wait", "mrpc"], ["delete", "mrpc"]]


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Writes the kubeconfig."""
    path = tmp_path / "config"
    monkeypatch.setenv("KUBECONFIG", str(path))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    def write(document):
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    return write


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_no_kubeconfig_is_wrong_input(words, config, capsys):
    ended = verb(capsys, *words)
    assert ended.code == 2
    assert ended.err.startswith("kubeconfig: there is no file ")


def test_an_unknown_context_is_answered_with_those_there_are(config, capsys):
    config(kubeconfig("http://127.0.0.1:1"))
    ended = verb(capsys, "status", "--context", "prod")
    assert ended.code == 2
    assert "has no context 'prod'; it has 'here', 'there'" in ended.err


@pytest.mark.parametrize(
    "text",
    ["", "a: [", "just words", "- 1", "{}", "contexts: 5", "apiVersion: v1\nkind: Config\n", "\x00"],
    ids=["empty", "broken", "words", "list", "map", "number", "no context", "binary"],
)
def test_a_kubeconfig_that_is_none_is_wrong_input(text, config, capsys):
    path = config(text)
    ended = verb(capsys, "status")
    assert ended.code == 2
    assert str(path) in ended.err
    assert len(ended.err.splitlines()) == 1


def test_a_login_program_that_fails_ends_in_words(config, api, capsys):
    document = kubeconfig(api.host)
    command = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "false",
        "interactiveMode": "Never",
    }
    document["users"][0]["user"] = {"exec": command}
    config(document)
    api.put("GET", "*", {"kind": "Status", "message": "Unauthorized"}, 401)
    ended = verb(capsys, "status")
    assert (ended.code, "log in again" in ended.err) == (1, True)


def test_nobody_who_listens_is_told_with_the_address(config, capsys):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    config(kubeconfig(f"http://127.0.0.1:{port}"))
    ended = verb(capsys, "status")
    assert ended.code == 1
    assert ended.err == (
        f"cluster http://127.0.0.1:{port} (context 'here'): cannot be reached (connection refused); "
        "is the cluster running, and the address right?\n"
    )


def test_a_name_that_does_not_resolve_is_told(config, capsys):
    config(kubeconfig("https://nowhere.invalid:6443"))
    ended = verb(capsys, "status")
    assert (ended.code, "does not resolve" in ended.err) == (1, True)


def test_a_server_that_never_answers_is_told(config, capsys, monkeypatch):
    from rallypoint.cluster import client

    monkeypatch.setattr(client, "READ_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        config(kubeconfig(f"http://127.0.0.1:{server.getsockname()[1]}"))
        ended = verb(capsys, "status")
    assert (ended.code, "no answer in time" in ended.err) == (1, True)


def test_the_namespace_is_the_option_s_else_the_context_s(api, capsys):
    for words, wanted in ((["status"], "research"), (["status", "--context", "there"], "x"),
                          (["status", "-n", "mine"], "mine")):  # fmt: skip
        api.calls.clear()
        api.put("GET", "*", items())
        ended = verb(capsys, *words)
        assert (ended.code, ended.err) == (0, f"no jobs in namespace '{wanted}'\n")
        assert {call.headers["authorization"] for call in api.calls} == {"Bearer t0ken"}


def test_dry_run_client_needs_no_cluster(config, capsys, tmp_path):
    (tmp_path / "job.yaml").write_text(JOB)
    ended = verb(capsys, "apply", str(tmp_path / "job.yaml"), "--dry-run=client")
    assert (ended.code, len(ended.out.splitlines())) == (0, 5)
    assert ended.err == "tiny: kind Job; 2 nodes x 1 process on the CPU; python -m pkg.train\n"


def test_help_and_render_do_not_import_the_client(tmp_path):
    (tmp_path / "job.yaml").write_text(JOB)
    code = (
        "import sys\nfrom rallypoint.cli import main\n"
        "for words in (['apply', '--help'], ['render', sys.argv[1]], ['validate', sys.argv[1]]):\n"
        "    try:\n        main(words)\n    except SystemExit:\n        pass\n"
        "print(sorted({'kubernetes', 'urllib3', 'yaml'} & set(sys.modules)), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "job.yaml")]
    assert subprocess.run(command, capture_output=True, text=True).stderr == "[]\n"


EXEC = {
    "apiVersion": "client.authentication.k8s.io/v1",
    "command": "no-such-program",
    "interactiveMode": "Never",
}
BROKEN = {
    "an address without a scheme": ({"proxy-url": "foo"}, {}, {}),
    "a namespace that is a number": ({}, {"namespace": 5}, {}),
    "a token with a line's end": ({}, {}, {"token": "a\nb"}),
    "a token of other letters": ({}, {}, {"token": "\u6f22"}),
    "a login program that is not there": ({}, {}, {"exec": EXEC}),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_kubeconfig_that_cannot_be_used_is_wrong_input(case, config, capsys):
    document = kubeconfig("http://127.0.0.1:1")
    cluster, context, user = (document[key][0] for key in ("clusters", "contexts", "users"))
    parts = (cluster["cluster"], context["context"], user["user"])
    for part, change in zip(parts, BROKEN[case], strict=True):
        if "exec" in change:
            part.clear()  # a token beside it would be taken
        part.update(change)
    config(document)
    ended = verb(capsys, "status")
    assert (ended.code, ended.err.startswith("kubeconfig"), ended.err.count("\n")) == (2, True, 1), ended.err


@pytest.mark.parametrize(
    "words", [["delete", ""], ["status", "a,b=c"], ["wait", "A"], ["logs", "a", "-n", "a/b"]]
)
def test_what_cannot_be_a_name_reaches_no_selector(words, config, capsys):
    config(kubeconfig("http://127.0.0.1:1"))
    ended = verb(capsys, *words)
    assert (ended.code, "cannot be the name of a" in ended.err) == (2, True)
