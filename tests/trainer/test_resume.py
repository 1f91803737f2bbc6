"""A run that was cut short ends as one that was not."""

from __future__ import annotations

import json
import shutil
import signal

import pytest

from trainer.test_samples import given


@pytest.fixture(scope="module")
def whole(make_job):
    """The undisturbed run, with dropout, a tail, an evaluation and a log cadence that do not fit together."""
    job = cadence(make_job)
    job.environment["RALLYPOINT_SAMPLE_LOG"] = str(job.folder)
    ended = job.run()
    assert ended.codes == [0, 0], ended.stderr
    return job, ended


def cadence(make_job):
    job = make_job(
        num_train_epochs=2, max_steps=-1, logging_steps=4, save_strategy="steps", save_steps=5,
        eval_strategy="steps", eval_steps=10, seed=7,
    )  # fmt: skip
    model = job.folder / "dropout"
    shutil.copytree(job.train["model"], model)
    config = json.loads((model / "config.json").read_text())
    config.update(hidden_dropout_prob=0.2, attention_probs_dropout_prob=0.2)
    (model / "config.json").write_text(json.dumps(config))
    job.train["model"] = str(model)
    return job


@pytest.fixture(scope="module")
def resumed(make_job):
    """The same run, all ranks killed after step 17 and started again: it goes on from step 15."""
    job = cadence(make_job)
    job.environment["RALLYPOINT_SAMPLE_LOG"] = str(job.folder)
    ranks = job.start()
    ranks.until(lambda: (ranks.output / "checkpoint-15").exists() and ranks.step() >= 17)
    for rank in range(2):
        ranks.signal(rank, signal.SIGKILL)
    ranks.wait()
    for path in job.folder.glob("rank-*.jsonl"):
        lines = path.read_text().splitlines()
        path.write_text("\n".join(lines[:15]) + "\n")  # what was seen twice counts once
    ended = job.run()
    assert ended.codes == [0, 0], ended.stderr
    return job, ended


def test_it_goes_on_from_the_newest_checkpoint(resumed):
    assert [event["resumed_from"] for event in resumed[1].events("start")] == [None, 15]


def test_losses_agree_with_the_undisturbed_run(whole, resumed):
    assert resumed[1].losses() == pytest.approx(whole[1].losses(), abs=1e-5)


def test_evaluations_agree_with_the_undisturbed_run(whole, resumed):
    def loss(ended):
        return {event["step"]: event["metrics"]["eval_loss"] for event in ended.events("eval")}

    assert loss(resumed[1]) == pytest.approx(loss(whole[1]), abs=1e-5)


def test_the_train_loss_is_that_of_the_whole_run(whole, resumed):
    assert resumed[1].metrics["train_loss"] == pytest.approx(whole[1].metrics["train_loss"], abs=1e-5)


def test_events_are_not_doubled(whole, resumed):
    def steps(ended):
        return [(event["event"], event["step"]) for event in ended.events() if "step" in event]

    assert steps(resumed[1]) == steps(whole[1])


def test_the_order_of_the_samples_is_the_same(whole, resumed):
    assert given(resumed[0].folder) == given(whole[0].folder)


def test_a_truncated_checkpoint_is_moved_aside_and_the_one_before_taken(make_job):
    job = make_job(save_strategy="steps", save_steps=4)
    assert job.run().codes == [0, 0]
    weights = job.running[0].output / "checkpoint-10/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    ended = job.run()
    assert (ended.codes, ended.events("start")[-1]["resumed_from"]) == ([0, 0], 8)
    assert "checkpoint-10: not whole (model.safetensors has" in ended.notices
    assert (ended.output / "checkpoint-10.broken").is_dir()


@pytest.mark.slow
def test_longer_training_goes_on_with_a_notice(make_job):
    job = make_job(save_strategy="steps", save_steps=10)
    assert job.run().codes == [0, 0]
    job.arguments["max_steps"] = 14
    ended = job.run()
    assert (ended.codes, sorted(ended.losses())) == ([0, 0], list(range(1, 15)))
    assert "train.training_args.max_steps: 10 in checkpoint-10, 14 from now on" in ended.notices


@pytest.mark.slow
def test_another_learning_rate_ends_with_2_and_names_both(make_job):
    job = make_job(save_strategy="steps", save_steps=10)
    assert job.run().codes == [0, 0]
    job.arguments["learning_rate"] = 5e-4
    ended = job.run()
    assert (ended.codes, ended.stderr.count("\n")) == ([2, 2], 1)
    assert "learning_rate: checkpoint-10 was trained with 0.001, the job says 0.0005" in ended.stderr


@pytest.mark.slow
def test_the_best_model_is_kept_and_loaded(make_job):
    job = make_job(
        max_steps=12, save_strategy="steps", save_steps=2, eval_strategy="steps", eval_steps=2,
        save_total_limit=1,
        load_best_model_at_end=True, metric_for_best_model="loss", learning_rate=3e-2,
    )  # fmt: skip
    ended = job.run()
    evaluations = {event["step"]: event["metrics"]["eval_loss"] for event in ended.events("eval")}
    best = min(evaluations, key=evaluations.get)
    kept = {path.name for path in ended.output.glob("checkpoint-*")}
    assert (ended.codes, kept) == ([0, 0], {f"checkpoint-{best}", "checkpoint-12"})
    assert ended.metrics["eval_loss"] == evaluations[best]
