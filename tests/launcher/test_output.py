"""The output's markers, and whether it can be written."""

import errno
import json
import os

import output
import pytest


def mark(folder, name, **fields):
    (folder / name).write_text(json.dumps(fields))


def test_a_marker_of_this_run_says_done(tmp_path):
    mark(tmp_path, "done.json", run_id="a-1")
    assert output.finished(tmp_path, "a-1").code == 0


def test_a_failed_marker_of_this_run_has_its_code(tmp_path):
    mark(tmp_path, "failed.json", run_id="a-1", code=2, message="no column")
    found = output.finished(tmp_path, "a-1")
    assert (found.code, found.message) == (2, "no column")


def test_a_marker_of_another_run_does_not_count(tmp_path):
    mark(tmp_path, "done.json", run_id="a-2")
    assert output.finished(tmp_path, "a-1") is None


@pytest.mark.parametrize("text", ["", '{"run_id": "a-', "[]", "\xff"])
def test_a_half_written_marker_does_not_count(tmp_path, text):
    (tmp_path / "done.json").write_bytes(text.encode("latin-1"))
    assert output.finished(tmp_path, "a-1") is None


def test_no_output_folder_is_no_marker(tmp_path):
    assert output.finished(tmp_path / "nowhere", "a-1") is None


def test_stale_markers_are_moved_aside_and_kept(tmp_path):
    mark(tmp_path, "done.json", run_id="a-2")
    (tmp_path / "failed.json").write_text("{")
    moved = output.stale_markers_moved(tmp_path, "a-1")
    assert len(moved) == 2
    assert json.loads((tmp_path / moved[0]).read_text()) == {"run_id": "a-2"}
    assert not (tmp_path / "done.json").exists()
    assert not (tmp_path / "failed.json").exists()


def test_a_marker_of_this_run_stays(tmp_path):
    mark(tmp_path, "failed.json", run_id="a-1")
    assert output.stale_markers_moved(tmp_path, "a-1") == []


def test_a_marker_is_written_whole_and_nothing_is_left_beside_it(tmp_path):
    output.write_marker(tmp_path, "done.json", {"run_id": "a-1"})
    assert [path.name for path in tmp_path.iterdir()] == ["done.json"]
    assert output.read_marker(tmp_path / "done.json") == {"run_id": "a-1"}


def test_a_new_output_folder_is_made_and_left_empty(tmp_path):
    output.check_writable(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_an_output_that_cannot_be_made_names_path_user_and_owner(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(output.OutputError) as caught:
        output.check_writable(tmp_path / "file" / "mrpc")
    message = str(caught.value)
    assert str(tmp_path / "file" / "mrpc") in message
    assert f"uid {os.geteuid()}, gid {os.getegid()}" in message
    assert "mode 0" in message
    assert not caught.value.passing


def test_a_marker_that_finds_the_disk_full_leaves_nothing(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(output.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        output.write_marker(tmp_path, "failed.json", {"code": 1})
    assert list(tmp_path.iterdir()) == []
