"""apply and delete whose reader goes away, whose objects somebody else replaces, or who lack a right."""

import copy
import subprocess
import sys

import pytest

from .api import items, status
from .test_life import CORE, NS, POLICY, TRAINER, accept, file, living  # noqa: F401 - fixtures
from .verb import verb

GONE = status(404, "gone", "NotFound", name="x")
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
DENIED = 'admission webhook "v.acme" denied the request: no'
QUOTA = "jobs is forbidden: exceeded quota: few, requested: count/jobs=1, used: count/jobs=1"
FIXED = 'Job.batch "tiny" is invalid: spec.template: Invalid value: field is immutable'


def may_not(what):
    """As RBAC says it."""
    text = f'x is forbidden: User "jane" cannot patch resource "{what}" in API group "" in the namespace "n"'
    return status(403, text, "Forbidden")


def deletable(api, paths, after=None):
    """A deleted object is gone; `after` gives what has its name then."""
    real = api.answer

    def answer(call):
        if call.method == "DELETE":
            new = (after or {}).get(call.path)
            api.put("GET", call.path, *((new,) if new else (GONE, 404)))
        return real(call)

    for path in paths:
        api.put("DELETE", path, {"kind": "Status"})
    api.answer = answer


def newer(item):
    """Another object of the same name."""
    other = copy.deepcopy(item)
    other["metadata"]["uid"] += "-new"
    return other


def pod(uid):
    return {"metadata": {"name": f"tiny-0-{uid}", "namespace": "research", "uid": uid}}


def test_delete_does_not_wait_for_what_was_made_meanwhile(living, api, capsys):  # noqa: F811
    deletable(api, living, {path: newer(item) for path, item in living.items()})
    ended = verb(capsys, "delete", "tiny", "--timeout", "2s")
    assert (ended.code, len(ended.out.splitlines())) == (0, 5)


def test_delete_does_not_take_what_has_replaced_the_object(living, api, capsys):  # noqa: F811
    deletable(api, living)
    service = f"{CORE}/services/tiny-rdzv"
    api.put("GET", service, newer(living[service]))
    assert verb(capsys, "delete", "tiny", "--timeout", "2s").code == 0
    assert (len(api.said("DELETE")), service in api.said("DELETE")) == (4, False)


@pytest.mark.parametrize(
    "found",
    [(["a"], pod("b"), 0), (["a"], pod("a"), 1),
     ([], {"metadata": {**pod("a")["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}, 1)],
    ids=["of a newer run", "of the old run", "that ends"],
)  # fmt: skip
def test_delete_waits_for_the_pods_of_the_old_run_alone(found, living, api, capsys):  # noqa: F811
    deletable(api, living)
    before, after, code = found
    api.put("GET", f"{CORE}/pods", items(after))
    api.put_first("GET", f"{CORE}/pods", (200, items(*map(pod, before))))
    assert verb(capsys, "delete", "tiny", "--timeout", "1s").code == code


READERS = {"| true; exit ${PIPESTATUS[0]}": 141, "> /dev/full": 1, ">&-": 1}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("form", ["text", "json"])
def test_apply_sends_everything_though_nobody_reads(reader, form, api, file):  # noqa: F811
    accept(api)
    found = shell(f"apply {file} -o {form} {reader}")
    sent = [call.path for call in api.calls if call.method == "PATCH" and "dryRun" not in call.query]
    assert (found.returncode, len(sent), sent[-1]) == (READERS[reader], 5, f"{NS}/tiny")


@pytest.mark.parametrize("reader", READERS)
def test_delete_takes_everything_though_nobody_reads(reader, living, api):  # noqa: F811
    deletable(api, living)
    found = shell(f"delete tiny {reader}")
    assert (found.returncode, sorted(api.said("DELETE"))) == (READERS[reader], sorted(living))


def shell(words):
    """rallypoint, as a line of bash."""
    command = f"{sys.executable} -m rallypoint {words}"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in found.stderr
    return found


def test_an_error_of_the_work_goes_before_that_of_the_reader(living, api):  # noqa: F811
    deletable(api, living)
    api.put("DELETE", f"{CORE}/services/tiny-rdzv", may_not("services"), 403)
    found = shell("delete tiny > /dev/full")
    assert (found.returncode, "may not patch services" in found.stderr) == (1, True)
    assert "cannot be written" not in found.stderr


def replace(capsys, file, *more):  # noqa: F811
    return verb(capsys, "apply", file, "--replace", "--set", "nodes=4", *more)


@pytest.mark.parametrize("which", ["configmaps", "jobs"])
def test_nothing_is_ended_for_a_run_that_may_not_be_made(which, living, api, capsys, file):  # noqa: F811
    deletable(api, living)
    accept(api)
    path = f"{NS}/tiny" if which == "jobs" else f"{CORE}/configmaps/tiny-config"
    api.put("PATCH", path, may_not(which), 403)
    for way in ("--replace", "--fresh"):
        ended = verb(capsys, "apply", file, way, "--set", "nodes=4")
        assert (ended.code, f"'jane' may not patch {which}" in ended.err) == (1, True)
    unchanged(api)


def test_a_right_to_change_is_none_to_create(living, api, capsys, file):  # noqa: F811
    deletable(api, living)
    api.put("POST", REVIEWS, {"kind": "SelfSubjectAccessReview", "status": {"allowed": False}})
    ended = replace(capsys, file)
    assert (ended.code, "you may not create configmaps" in ended.err) == (1, True)
    (asked,) = [call.body for call in api.calls if call.method == "POST"]
    assert asked["spec"]["resourceAttributes"] == {
        "verb": "create", "group": "", "resource": "configmaps", "namespace": "research",
        "name": "tiny-config",
    }  # fmt: skip
    unchanged(api)


def test_a_trainjob_s_rights_are_asked_for_too(living, api, capsys, file):  # noqa: F811
    deletable(api, living)
    accept(api)
    api.put("GET", TRAINER, {"resources": [{"name": "trainjobs"}, {"name": "trainingruntimes"}]})
    api.put("PATCH", f"{TRAINER}/namespaces/research/trainjobs/tiny", may_not("trainjobs"), 403)
    ended = verb(capsys, "apply", file, "--replace", "--kind", "TrainJob")
    assert (ended.code, "may not patch trainjobs" in ended.err) == (1, True)
    unchanged(api)


def test_a_webhook_s_word_on_a_new_object_ends_nothing(living, api, capsys, file):  # noqa: F811
    deletable(api, living)
    accept(api)
    api.put("GET", f"{POLICY}/tiny", GONE, 404)
    api.put("PATCH", f"{POLICY}/tiny", status(403, DENIED, "Forbidden"), 403)
    ended = replace(capsys, file)
    assert (ended.code, "the webhook v.acme refuses it" in ended.err) == (2, True)
    unchanged(api)


def unchanged(api):
    assert api.said("DELETE") == []
    assert all(call.query.get("dryRun") for call in api.calls if call.method == "PATCH")


@pytest.mark.parametrize(
    "answer",
    [(422, FIXED), (409, "changed"), (403, QUOTA), (403, DENIED), (403, "x is forbidden: it cannot shrink")],
    ids=["immutable", "conflict", "quota", "webhook", "policy"],
)
def test_what_the_old_run_s_being_there_causes_is_no_reason(answer, living, api, capsys, file):  # noqa: F811
    deletable(api, living)
    fresh = {"metadata": {"uid": "u", "resourceVersion": "1"}}
    api.put("PATCH", "*", fresh)
    for path in living:
        api.put("PATCH", path, fresh)
    api.put_first("PATCH", f"{NS}/tiny", (answer[0], status(*answer)))
    ended = replace(capsys, file)
    assert (ended.code, len(api.said("DELETE"))) == (0, 5), ended.err
