"""The error file, and errors that only say that another rank is gone."""

from __future__ import annotations

import json

import pytest

from rallypoint_trainer.failure import lost_peer, report_crash


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (RuntimeError("[gloo/transport/tcp/pair.cc:547] Connection closed by peer [127.0.0.1]:3"), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ValueError("Connection closed by peer"), False),
    ],
)
def test_a_lost_peer_is_told_from_an_own_error(error, lost):
    assert lost_peer(error) is lost


def crashed(monkeypatch, tmp_path, error: Exception) -> str:
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    try:
        raise error
    except (ValueError, RuntimeError) as caught:
        report_crash(caught)
    return json.loads((tmp_path / "error.json").read_text())["message"]


def test_an_own_error_is_recorded_with_its_traceback(monkeypatch, tmp_path, capsys):
    message = crashed(monkeypatch, tmp_path, ValueError("boom"))
    assert message["message"] == "ValueError: boom"
    assert "in crashed" in message["extraInfo"]["py_callstack"]
    assert "ValueError: boom" in capsys.readouterr().err


def test_a_lost_peer_is_one_line(monkeypatch, tmp_path, capsys):
    message = crashed(monkeypatch, tmp_path, RuntimeError("Connection closed by peer [::1]"))
    assert message["message"] == "lost contact with another rank (Connection closed by peer [::1])"
    assert capsys.readouterr().err.count("\n") == 1
