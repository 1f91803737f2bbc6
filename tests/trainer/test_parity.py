"""Training over several ranks is training in one process with the same global batch."""

from __future__ import annotations

import pytest
import torch
from transformers import set_seed

from rallypoint.spec import ModelSpec
from rallypoint_trainer.model import load_model, load_tokenizer
from trainer.small import rows
from trainer.test_samples import given

SHAPES = [
    # nodes, batch per rank, accumulation: all have a global batch of 24; 100 samples leave a tail of 4
    pytest.param(3, 8, 1, id="three ranks"),
    pytest.param(2, 4, 3, id="two ranks, three micro-batches"),
    pytest.param(3, 1, 8, id="three ranks, one sample at a time: a filler in the tail"),
]


def trained(make_job, nodes: int, batch: int, accumulation: int):
    job = make_job(
        nodes,
        per_device_train_batch_size=batch,
        gradient_accumulation_steps=accumulation,
        eval_strategy="epoch",
        per_device_eval_batch_size=4,  # 37 samples over three ranks leave one: two fillers
        num_train_epochs=2,
        max_steps=-1,
    )
    ended = job.run()
    assert ended.codes == [0] * nodes, ended.stderr
    return ended


@pytest.fixture(scope="module")
def alone(make_job):
    return trained(make_job, 1, 24, 1)


@pytest.mark.parametrize(("nodes", "batch", "accumulation"), SHAPES)
def test_losses_gradients_and_metrics_equal_those_of_one_process(make_job, alone, nodes, batch, accumulation):
    ended = trained(make_job, nodes, batch, accumulation)

    def numbers(run):
        steps = [(event["loss"], event["grad_norm"]) for event in run.events("log")]
        assert len(steps) == 10
        return [number for step in steps for number in step] + [
            run.metrics[name] for name in ("eval_loss", "eval_accuracy", "eval_f1", "train_loss")
        ]

    assert numbers(ended) == pytest.approx(numbers(alone), rel=1e-4)


def test_the_first_step_is_that_of_plain_torch(make_job):
    job = make_job(3, max_steps=1)
    job.environment["RALLYPOINT_SAMPLE_LOG"] = str(job.folder)
    (logged,) = job.run().events("log")
    numbers = [row for (step,) in given(job.folder)[0] for row in step]
    assert len(numbers) == 12
    spec = ModelSpec(pretrained_model_name_or_path=job.train["model"])
    tokenizer = load_tokenizer(spec)
    set_seed(42)  # transformers' default seed: the same new head
    model = load_model(spec, ["0", "1"], tokenizer)
    samples = [rows(100)[number] for number in numbers]
    texts = [[sample[name] for sample in samples] for name in ("sentence1", "sentence2")]
    logits = model(**tokenizer(*texts, padding=True, return_tensors="pt")).logits
    labels = torch.tensor([sample["label"] for sample in samples])
    loss = torch.nn.functional.cross_entropy(logits, labels)
    loss.backward()
    norm = torch.nn.utils.get_total_norm([one.grad for one in model.parameters() if one.grad is not None])
    assert (logged["loss"], logged["grad_norm"]) == pytest.approx((loss.item(), norm.item()), rel=1e-4)
