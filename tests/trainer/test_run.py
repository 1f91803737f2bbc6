"""A whole run with two ranks, looked at from all sides."""

from __future__ import annotations

import json

import pytest

from trainer.ranks import Ended


@pytest.fixture(scope="module")
def ended(make_job) -> Ended:
    job = make_job(eval_strategy="epoch", save_strategy="epoch", max_steps=20)
    return job.run()


def test_every_rank_ends_with_0(ended):
    assert ended.codes == [0, 0], ended.stderr


def test_the_output_holds_all_and_nothing_else(ended):
    names = {path.name for path in ended.output.iterdir()}
    assert names == {"checkpoint-13", "checkpoint-20", "events.jsonl", "metrics.json", "model"}


def test_nothing_is_said_but_events(ended):
    assert (
        ended.stderr,
        [one for one in ended.stdout.splitlines() if not one.startswith("rallypoint: ")],
    ) == (
        "",
        [],
    )


def test_stdout_and_file_say_the_same(ended):
    said = [json.loads(line.removeprefix("rallypoint: ")) for line in ended.stdout.splitlines()]
    assert said == ended.events()


def test_each_step_is_logged_once(ended):
    assert [event["step"] for event in ended.events("log")] == list(range(1, 21))


def test_the_start_says_what_was_decided(ended):
    (start,) = ended.events("start")
    assert start == {
        "event": "start",
        "world_size": 2,
        "max_steps": 20,
        "num_samples": 100,
        "global_batch": 8,
        "resumed_from": None,
        "precision": "float32: asked for",
        "sampling": "batch_rebalance: random global batches, like lengths on one rank",
    }


def test_a_log_event_has_all_its_fields(ended):
    assert set(ended.events("log")[5]) == {
        "event", "step", "max_steps", "epoch", "loss", "learning_rate", "grad_norm", "samples_per_second",
        "tokens_per_second", "seconds_left",
    }  # fmt: skip


def test_metrics_hold_the_last_evaluation(ended):
    last = ended.events("eval")[-1]["metrics"]
    assert {name: ended.metrics[name] for name in last} == last


def test_the_train_loss_is_the_mean_of_all_steps(ended):
    losses = ended.losses().values()
    assert ended.metrics["train_loss"] == pytest.approx(sum(losses) / 20, rel=1e-6)


def test_the_model_gives_the_metrics_that_were_written(ended):
    import torch
    from sklearn.metrics import accuracy_score, f1_score
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from trainer.small import rows

    model = AutoModelForSequenceClassification.from_pretrained(ended.output / "model").eval()
    tokenizer = AutoTokenizer.from_pretrained(ended.output / "model")
    samples = rows(37, seed=1)
    pairs = [[sample[name] for sample in samples] for name in ("sentence1", "sentence2")]
    with torch.no_grad():
        logits = model(**tokenizer(*pairs, padding=True, return_tensors="pt")).logits
    labels = torch.tensor([sample["label"] for sample in samples])
    loss = torch.nn.functional.cross_entropy(logits, labels).item()
    found = [accuracy_score(labels, logits.argmax(-1)), f1_score(labels, logits.argmax(-1)), loss]
    assert [ended.metrics[f"eval_{name}"] for name in ("accuracy", "f1", "loss")] == pytest.approx(
        found, 1e-5
    )


def test_the_model_knows_its_labels(ended):
    config = json.loads((ended.output / "model/config.json").read_text())
    assert config["id2label"] == {"0": "0", "1": "1"}


def test_the_step_file_holds_the_last_step(ended):
    assert (ended.output.parent / "run-0/step-1").read_text() == "20\n"


def test_a_finished_job_trains_no_further_step(ended, make_job):
    job = make_job(eval_strategy="epoch", save_strategy="epoch", max_steps=20)
    job.document["output"] = str(ended.output)
    before = (ended.metrics, ended.events("log"))
    again = job.run()
    assert (again.codes, again.metrics, again.events("log")) == ([0, 0], *before)
