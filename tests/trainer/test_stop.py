"""SIGTERM to one rank: all stop at the same step, with a checkpoint to go on from."""

from __future__ import annotations

import os
import signal

import pytest

from rallypoint_trainer.checkpoint import fault
from rallypoint_trainer.question import MOST_STEPS, steps_until_check
from trainer.small import rows, write_jsonl


@pytest.mark.parametrize(("seconds", "steps"), [(10, 1), (1, 1), (0.3, 3), (0.0001, MOST_STEPS)])
def test_the_ranks_ask_about_once_a_second(seconds, steps):
    assert steps_until_check(seconds) == steps


@pytest.mark.parametrize("workers", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_signal_to_one_rank_stops_all_with_143_and_it_goes_on(make_job, workers):
    job = make_job(max_steps=100_000, dataloader_num_workers=workers, logging_steps=50)
    if workers:  # epochs long enough that the workers stay for the whole test
        write_jsonl(job.folder / "train.jsonl", rows(100) * 200)
    ranks = job.start()
    ranks.until(lambda: ranks.step() >= 3)
    workers_there = ranks.children(1)
    assert len(workers_there) == workers
    for pid in [*workers_there, ranks.processes[1].pid]:  # a whole process group is often signalled
        os.kill(pid, signal.SIGTERM)
    stopped = ranks.wait(60)
    (save,) = stopped.events("save")
    assert (stopped.codes, stopped.stderr) == ([143, 143], "")
    assert (stopped.output / f"checkpoint-{save['step']}/trainer_state.json").exists()
    assert "told to stop" in stopped.notices
    job.arguments["max_steps"] = save["step"] + 2
    ended = job.run()
    assert (ended.codes, ended.events("start")[-1]["resumed_from"]) == ([0, 0], save["step"])


def test_a_signal_in_an_evaluation_ends_it_and_it_is_made_up_for(make_job):
    job = make_job(max_steps=8, eval_strategy="steps", eval_steps=4, per_device_eval_batch_size=1)
    lines = (job.folder / "validation.jsonl").read_text() * 300  # some seconds of evaluation
    (job.folder / "validation.jsonl").write_text(lines)
    ranks = job.start()
    ranks.until(lambda: ranks.step() == 4)
    ranks.signal(0)
    stopped = ranks.wait(60)
    assert (stopped.codes, [event["step"] for event in stopped.events("save")]) == ([143, 143], [4])
    assert stopped.events("eval") == []
    (job.folder / "validation.jsonl").write_text(lines[: len(lines) // 300])
    ended = job.run()
    assert (ended.codes, [event["step"] for event in ended.events("eval")]) == ([0, 0], [4, 8])


@pytest.mark.slow
def test_a_signal_in_a_save_leaves_whole_checkpoints(make_job):
    job = make_job(max_steps=100_000, save_strategy="steps", save_steps=1, save_total_limit=2)
    ranks = job.start()
    ranks.until(lambda: any(ranks.output.glob(".saving-*")))
    ranks.signal(1)
    stopped = ranks.wait(60)
    found = sorted(stopped.output.glob("checkpoint-*"))
    assert (stopped.codes, [fault(path) for path in found]) == ([143, 143], [None] * len(found))
    assert not list(stopped.output.glob(".saving-*"))
