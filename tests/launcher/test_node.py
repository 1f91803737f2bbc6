"""What one node does in moments too short for simulated pods."""

from types import SimpleNamespace

import documents
import node
import pytest


@pytest.mark.parametrize(
    ("phase", "round_number", "waits"),
    [(documents.RUN, 1, True), (documents.GATHER, 1, False), (documents.RUN, 2, False)],
    ids=["its round goes on", "its round is over", "the next one has begun"],
)
def test_a_done_node_told_to_stop_waits_only_for_its_own_round(monkeypatch, phase, round_number, waits):
    class WaitedError(Exception):
        pass

    def sleep(_seconds):
        raise WaitedError

    monkeypatch.setattr(node.time, "sleep", sleep)
    leaving = node.Node.__new__(node.Node)
    leaving.job = SimpleNamespace(grace_seconds=60.0)
    leaving.processes = None
    leaving.document = {**documents.new_document("a", documents.NODE_DONE), "round": 1}
    plan = {**documents.first_plan(0.0), "phase": phase, "round": round_number}
    leaving.link = SimpleNamespace(
        plan=plan, trouble="", replaced=False, send=lambda document: None, delivered=True
    )
    if waits:
        with pytest.raises(WaitedError):
            leaving._leave("SIGTERM")
    else:
        assert leaving._leave("SIGTERM").code == 143
