"""Training over several ranks is training in one process with the same global batch."""

from __future__ import annotations

import pytest

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
