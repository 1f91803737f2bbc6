"""A namespace that is not there is told by every verb, and looked at only where nothing was found."""

import pytest

from .api import items, status
from .test_life import CORE, underway
from .verb import JOB, verb

VERBS = [["status"], ["status", "x"], ["logs", "x"], ["wait", "x"], ["delete", "x"]]
EMPTY = {
    "status": (0, "no jobs in namespace 'research'\n"),
    "delete": (0, "x: nothing to delete in namespace 'research'\n"),
}
MISSING = status(404, 'namespaces "typo" not found', "NotFound", name="typo", kind="namespaces")


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_missing_namespace_is_told_as_apply_tells_it(words, api, capsys, tmp_path):
    (tmp_path / "job.yaml").write_text(JOB)
    api.put("GET", "/api/v1/namespaces/typo", MISSING, 404)
    api.put("PATCH", "*", MISSING, 404)
    applied = verb(capsys, "apply", str(tmp_path / "job.yaml"), "-n", "typo")
    said = applied.err.splitlines(keepends=True)[-1]
    assert said.startswith("namespace 'typo': is not in this cluster; ")
    assert verb(capsys, *words, "-n", "typo") == (applied.code, "", said) == (2, "", said)


@pytest.mark.parametrize("code", [401, 403, 404, 503])
@pytest.mark.parametrize("words", [["status"], ["delete", "x"]], ids=lambda words: words[0])
def test_a_namespace_of_which_nothing_can_be_said_changes_nothing(words, code, api, capsys):
    api.put("GET", CORE, status(code, "no", "No"), code)
    ended = verb(capsys, *words)
    assert (ended.code, ended.err) == EMPTY[words[0]]
    assert CORE in api.said("GET")


def test_a_namespace_is_not_looked_at_where_something_was_found(api, capsys):
    name = underway(api)
    for words in (["status"], ["status", name], ["logs", name], ["wait", name, "--timeout", "0s"]):
        verb(capsys, *words)
    assert CORE not in api.said("GET")


def test_all_namespaces_are_none_that_could_be_missing(api, capsys):
    api.put("GET", "*", items())
    ended = verb(capsys, "status", "-A")
    assert (ended.code, ended.err) == (0, "no jobs in any namespace\n")
    assert [path for path in api.said("GET") if path.startswith("/api/v1/namespaces")] == []
