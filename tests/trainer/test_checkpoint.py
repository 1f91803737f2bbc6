"""A checkpoint is whole or it is not one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from rallypoint_trainer.checkpoint import (
    Progress,
    checkpoints,
    fault,
    newest_whole,
    read_manifest,
    seal,
    surplus,
    sweep,
)


def save(output: Path, step: int) -> Path:
    """A whole checkpoint with the files that the Trainer writes."""
    aside = output / f".saving-{step}"
    aside.mkdir()
    save_file({"a": torch.zeros(100)}, aside / "model.safetensors")
    for name in ("optimizer.pt", "scheduler.pt", "rng_state_0.pth", "rng_state_1.pth"):
        torch.save({"x": torch.zeros(100)}, aside / name)
    (aside / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    target = output / f"checkpoint-{step}"
    seal(aside, target, {"seed": 1}, Progress(loss_total=2.5, last_logged_step=3), step)
    return target


FILES = [
    "model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state_1.pth", "trainer_state.json",
    "rallypoint.json",
]  # fmt: skip


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwrite(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def test_a_whole_checkpoint_has_no_fault(tmp_path):
    assert fault(save(tmp_path, 10)) is None


@pytest.mark.parametrize("harm", [truncate, empty, overwrite, Path.unlink], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", FILES)
def test_harm_to_any_file_is_found(tmp_path, name, harm):
    checkpoint = save(tmp_path, 10)
    harm(checkpoint / name)
    assert name in (fault(checkpoint) or "")


def test_the_newest_whole_one_is_chosen_and_the_others_moved_aside(tmp_path):
    for step in (5, 10, 15, 20):
        save(tmp_path, step)
    empty(tmp_path / "checkpoint-20/optimizer.pt")
    (tmp_path / "checkpoint-15/rallypoint.json").unlink()
    chosen, told = newest_whole(tmp_path)
    assert (chosen, len(told)) == (tmp_path / "checkpoint-10", 2)
    assert all(text.endswith(", going on from checkpoint-10") for text in told)
    assert {path.name for path in tmp_path.iterdir()} == {
        "checkpoint-5", "checkpoint-10", "checkpoint-15.broken", "checkpoint-20.broken",
    }  # fmt: skip


def test_a_folder_that_only_has_the_name_is_no_checkpoint(tmp_path):
    (tmp_path / "checkpoint-3").mkdir()
    assert newest_whole(tmp_path)[0] is None


def test_without_a_whole_checkpoint_it_starts_over(tmp_path):
    empty(save(tmp_path, 10) / "optimizer.pt")
    assert newest_whole(tmp_path)[1][0].endswith("moved to checkpoint-10.broken, starting over")


def test_moving_aside_overwrites_nothing(tmp_path):
    for _ in range(2):
        empty(save(tmp_path, 10) / "optimizer.pt")
        newest_whole(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint-10.broken",
        "checkpoint-10.broken-2",
    ]


def test_no_checkpoint_is_no_resume(tmp_path):
    assert newest_whole(tmp_path) == (None, [])


def test_the_order_is_by_step_and_not_by_time(tmp_path):
    for step, age in ((9, 0), (100, 1000), (20, 500)):
        os.utime(save(tmp_path, step), (1e9 - age, 1e9 - age))
    assert [step for step, _ in checkpoints(tmp_path)] == [9, 20, 100]


def test_what_a_killed_save_left_is_removed(tmp_path):
    save(tmp_path, 5)
    (tmp_path / ".saving-7").mkdir()
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-5"]


def test_progress_comes_back(tmp_path):
    assert read_manifest(save(tmp_path, 5)).progress == Progress(loss_total=2.5, last_logged_step=3)


@pytest.mark.parametrize(
    ("steps", "limit", "best", "gone"),
    [
        ([1, 2, 3], None, None, []),
        ([1, 2, 3], 0, None, []),
        ([1, 2, 3], 2, None, [1]),
        ([1, 2, 3], 1, None, [1, 2]),
        ([1, 2, 3], 1, 1, [2]),
        ([1, 2, 3], 2, 1, [2]),
        ([3, 20, 100], 1, None, [3, 20]),
        ([1, 2, 3, 4], 2, 4, [1, 2]),
        ([], 1, None, []),
    ],
)
def test_the_oldest_go_but_never_the_newest_or_the_best(steps, limit, best, gone):
    assert surplus(steps, limit, best) == gone
