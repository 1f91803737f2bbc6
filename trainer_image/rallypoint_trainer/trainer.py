"""The Hugging Face Trainer, with the parts replaced that are not exact on several ranks.

Replaced: which sample goes where (plan), the weight of each loss, evaluation. All else is the Trainer's.
Legend: B samples. Read against transformers 5.24; tests compare the results with a single process.
"""

# ruff: noqa: N806  # tensors carry their shape as a suffix
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from transformers import Trainer
from transformers.trainer_utils import EvalLoopOutput

from rallypoint_trainer.loader import RankBatches, RankLoader, rank_loader
from rallypoint_trainer.metrics import Tally
from rallypoint_trainer.pace import Pace
from rallypoint_trainer.plan import Plan, epoch_order
from rallypoint_trainer.question import Question
from rallypoint_trainer.stop import Stop, Stopped
from rallypoint_trainer.trace import SampleTrace


class ExactTrainer(Trainer):  # type: ignore[misc]  # transformers ships no types
    """Trains as one process with the same global batch would."""

    loss_is_scaled_for_ga = True
    """compute_loss weighs each micro-batch by its share of the step; dividing again would be wrong."""

    def __init__(self, *, stop: Stop, metrics: list[str], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.stop = stop
        self.wanted_metrics = metrics
        self.pace = Pace()
        self.plan = Plan(
            len(self.train_dataset),
            self.args.world_size,
            self.args.train_batch_size,
            self.args.gradient_accumulation_steps,
            self.args.dataloader_drop_last,
        )
        self.loss_total = torch.tensor(0.0, dtype=torch.float64, device=self.args.device)
        """Summed over the steps, this rank's part; its mean over the ranks is the run's."""
        self._trace = SampleTrace(self.args.process_index, os.environ)
        self._weights: list[float] = []
        self._step_tokens = 0
        self._parameters = int(self.model.num_parameters(exclude_embeddings=True))

    def get_train_dataloader(self) -> RankLoader:
        """This rank's part of every epoch."""
        lengths = np.asarray(self.train_dataset["length"], dtype=np.int64)
        seed = self.args.seed if self.args.data_seed is None else self.args.data_seed
        strategy = str(self.args.train_sampling_strategy)
        batches = RankBatches(
            self.plan,
            self.args.process_index,
            lambda epoch: epoch_order(self.plan, strategy, lengths, seed, epoch),
        )
        return rank_loader(self.train_dataset, batches, self.data_collator, self.args, seed)

    def evaluation_plan(self, dataset: Any) -> Plan:
        """How `dataset` is cut for evaluation."""
        return Plan(len(dataset), self.args.world_size, self.args.eval_batch_size)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> RankLoader:
        """This rank's part of the validation split, long samples together; each sample on one rank, once."""
        dataset = self.eval_dataset if eval_dataset is None else eval_dataset
        order = np.argsort(-np.asarray(dataset["length"], dtype=np.int64), kind="stable")
        batches = RankBatches(self.evaluation_plan(dataset), self.args.process_index, lambda epoch: order)
        return rank_loader(dataset, batches, self.data_collator, self.args, 0)

    def get_batch_samples(
        self, epoch_iterator: Iterator[dict[str, Any]], num_batches: int, device: torch.device
    ) -> tuple[list[dict[str, Any]], None]:
        """The micro-batches of one step; notes what each weighs in the step's loss."""
        self.pace.step_begins()
        epoch, step = divmod(self.state.global_step, self.plan.steps)
        sizes = self.plan.sizes(step, self.args.process_index)
        batches = [next(epoch_iterator) for _ in range(num_batches)]
        rows = [batch.pop("row") for batch in batches]
        self._trace.note(epoch, rows, sizes)
        whole = self.plan.samples_in(step)
        self._weights = [size * self.args.world_size / whole for size in sizes]
        self._step_tokens = sum(int(batch["attention_mask"].sum()) for batch in batches)
        return batches, None

    def step_done(self) -> None:
        """Counts the step that has just ended."""
        step = (self.state.global_step - 1) % self.plan.steps
        self.pace.step_ends(self.plan.samples_in(step), self._step_tokens)

    @property
    def at_epoch_end(self) -> bool:
        """Whether the step that has just ended was its epoch's last."""
        return bool(self.state.global_step % self.plan.steps == 0)

    def training_step(
        self, model: Any, inputs: dict[str, Any], num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """The weighed loss of one micro-batch, after its backward pass."""
        loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        self.loss_total += loss
        return loss

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The mean loss of a micro-batch; in training times its share of the step's samples, times the world.

        DDP divides the sum over the ranks by their number: what remains is the mean over the step's samples.
        """
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True)
        if model.training:
            loss = loss * self._weights.pop(0)
        return (loss, outputs) if return_outputs else loss

    def floating_point_ops(self, inputs: dict[str, Any]) -> int:
        """6 * tokens * parameters; the parameters counted once and not in every step."""
        return 6 * int(inputs["input_ids"].numel()) * self._parameters

    def _build_accelerator_args(self, **arguments: Any) -> dict[str, Any]:
        """Accelerate's arguments, with gradients as views into DDP's buckets: one copy less per step."""
        result: dict[str, Any] = super()._build_accelerator_args(**arguments)
        result["kwargs_handlers"][0].gradient_as_bucket_view = True
        return result

    def meet(self) -> None:
        """Returns when all ranks are here; over gloo, so that a GPU job needs no stream for it."""
        dist.all_reduce(torch.zeros(1))

    def mean_over_ranks(self, value: torch.Tensor) -> float:
        """The mean of a number that every rank has; all ranks must ask."""
        total = value.detach().to("cpu", torch.float64, copy=True)  # all_reduce writes into it
        dist.all_reduce(total)
        return float(total.item()) / dist.get_world_size()

    def train_loss(self) -> float:
        """The mean of all steps' losses since the run began, resumes or not; all ranks must ask."""
        return self.mean_over_ranks(self.loss_total) / max(int(self.state.global_step), 1)

    def evaluation_loop(
        self,
        dataloader: RankLoader,
        description: str,
        prediction_loss_only: bool | None = None,
        ignore_keys: list[str] | None = None,
        metric_key_prefix: str = "eval",
    ) -> EvalLoopOutput:
        """Metrics over the whole split, exact: counts are summed over the ranks.

        Raises: Stopped, on all ranks at once, when one was told to stop.
        """
        model = self._model_to_evaluate()
        plan = self.evaluation_plan(dataloader.dataset)
        sizes = [size for step in range(plan.steps) for size in plan.sizes(step, self.args.process_index)]
        tally = Tally(self.model.config.num_labels)
        question = Question(self.stop)
        for size, batch in zip(sizes, dataloader, strict=True):
            batch.pop("row")
            inputs = self._prepare_inputs(batch)
            labels_B = inputs["labels"].cpu()
            with torch.no_grad(), self.compute_loss_context_manager():
                loss, outputs = self.compute_loss(model, inputs, return_outputs=True)
            if size:
                tally.add(float(loss), outputs["logits"].argmax(dim=-1).cpu(), labels_B)
            if question.agreed():
                raise Stopped
        numbers = tally.numbers()
        dist.all_reduce(numbers)
        total = Tally.of(numbers)
        metrics = {
            f"{metric_key_prefix}_{name}": one for name, one in total.metrics(self.wanted_metrics).items()
        }
        return EvalLoopOutput(predictions=None, label_ids=None, metrics=metrics, num_samples=total.samples)

    def _model_to_evaluate(self) -> Any:
        """The model in evaluation mode, prepared as the stock loop does when nothing was trained."""
        model = self._wrap_model(self.model, training=False)
        if len(self.accelerator._models) == 0 and model is self.model:
            model = self.accelerator.prepare_model(model, evaluation_mode=True)
        model.eval()
        return model
