"""Out-of-memory kills, counted by cgroup v1 and v2."""

import memory
import pytest


@pytest.mark.parametrize(
    ("own", "path"),
    [
        ("0::/kubepods/pod1\n", "kubepods/pod1/memory.events"),
        ("0::/\n", "memory.events"),
        ("9:memory:/docker/abc\n0::/\n", "memory/docker/abc/memory.oom_control"),
        ("9:memory:/docker/abc\n0::/\n", "memory/memory.oom_control"),
    ],
)
def test_kills_are_read_from_the_cgroups_counter(tmp_path, monkeypatch, own, path):
    monkeypatch.setattr(memory, "CGROUPS", tmp_path)
    monkeypatch.setattr(memory, "OWN", tmp_path / "own")
    (tmp_path / "own").write_text(own)
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("low 0\noom 3\noom_kill 2\noom_group_kill 0\n")
    assert memory.oom_kills() == 2


def test_without_a_counter_there_were_none(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "CGROUPS", tmp_path)
    assert memory.oom_kills() == 0


def test_without_cgroups_there_were_none(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "OWN", tmp_path / "nowhere")
    assert memory.oom_kills() == 0
