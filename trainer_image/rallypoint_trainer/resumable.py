"""A training that can be cut short at any moment and goes on as if it had not been.

Replaced in the Trainer: saving, what is put back on a resume, logging. Which checkpoint to take is decided
before (resume.py), which settings may differ too (settings.py).
"""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerState, set_seed

from rallypoint_trainer.checkpoint import (
    ASIDE,
    STATE,
    Progress,
    checkpoint_path,
    checkpoints,
    seal,
    surplus,
)  # fmt: skip
from rallypoint_trainer.events import Events
from rallypoint_trainer.pace import rate
from rallypoint_trainer.trainer import ExactTrainer


class ResumableTrainer(ExactTrainer):
    """Saves whole checkpoints, takes up what the Trainer forgets, says what happens."""

    def __init__(
        self, *, events: Events, settings: dict[str, Any], progress: Progress, **arguments: Any
    ) -> None:
        super().__init__(**arguments)
        self.events = events
        self.settings = settings
        self.progress = progress
        """As the checkpoint to resume from has it."""
        self.loss_total += progress.loss_total
        self.evaluation_due = False
        """Of the present step, when a stop has come before it."""
        self._saved: set[int] = set()

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Keeps the Trainer's history and tells the world in our own words."""
        if "train_runtime" in logs:
            logs["train_loss"] = self.train_loss()
        super().log(logs, start_time)
        if "loss" in logs:
            self._say_progress(logs)
        elif "eval_loss" in logs:
            metrics = {name: value for name, value in logs.items() if name != "epoch"}
            self.events.say("eval", step=self.state.global_step, epoch=self.state.epoch, metrics=metrics)

    def _say_progress(self, logs: dict[str, float]) -> None:
        """The line for one log event; all ranks must call it."""
        seconds, samples, tokens = self.pace.interval()
        all_tokens = self.mean_over_ranks(torch.tensor(float(tokens))) * self.args.world_size
        state = self.state
        done, left = state.global_step - self._initial_global_step, state.max_steps - state.global_step
        self.events.say(
            "log",
            step=state.global_step,
            max_steps=state.max_steps,
            epoch=round(state.epoch, 4),
            loss=logs["loss"],
            learning_rate=logs["learning_rate"],
            grad_norm=logs.get("grad_norm"),
            samples_per_second=rate(samples, seconds),
            tokens_per_second=rate(all_tokens, seconds),
            seconds_left=round(self.pace.seconds_left(done, left)),
        )

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """The Trainer's moment to save."""
        self.save_now()

    def save_now(self) -> None:
        """Writes a checkpoint of the present step, unless there is one; all ranks must call it.

        Written aside by all ranks; it gets its name when it is whole.
        """
        step = self.state.global_step
        if step in self._saved:
            return
        output = Path(self.args.output_dir)
        aside, target = output / f"{ASIDE}{step}", checkpoint_path(output, step)
        if self.args.should_save:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir(parents=True)
        self.meet()
        self.store_flos()
        self.save_model(str(aside), _internal_call=True)
        self._save_optimizer_and_scheduler(str(aside))
        self._save_scaler(str(aside))
        self._save_rng_state(str(aside))
        progress = self._progress_now()
        self._saved.add(step)
        self._point_to_best()
        self.meet()
        if self.args.should_save:
            self.state.save_to_json(str(aside / STATE))
            seal(aside, target, self.settings, progress, step)
            self._rotate(output)
        self.meet()
        self.events.say("save", step=step, path=str(target))

    def _progress_now(self) -> Progress:
        """What the next start needs beyond the Trainer's own state; all ranks must ask."""
        return Progress(
            loss_total=self.mean_over_ranks(self.loss_total),
            loss_unlogged=self.mean_over_ranks(self._tr_loss),
            last_logged_step=self._globalstep_last_logged,
            train_seconds=self.pace.seconds,
            evaluation_due=self.evaluation_due,
        )

    def _point_to_best(self) -> None:
        """Names the best checkpoint if there is one; the output may have been moved since it was written."""
        best = self.state.best_global_step
        path = checkpoint_path(Path(self.args.output_dir), best) if best else None
        there = path is not None and (best in self._saved or path.is_dir())
        self.state.best_model_checkpoint = str(path) if there else None

    def _rotate(self, output: Path) -> None:
        """Deletes what save_total_limit has no room for; one rank does it, by step and not by time."""
        steps = [step for step, _ in checkpoints(output)]
        for step in surplus(steps, self.args.save_total_limit, self.state.best_global_step):
            shutil.rmtree(checkpoint_path(output, step), ignore_errors=True)

    def take_up(self) -> None:
        """Puts back what the Trainer forgets on a resume; called when it has set up everything else."""
        self.pace.begin()
        if self.state.global_step == 0:
            # each rank drops other units: with one seed for all, the same ones in all samples of a step
            set_seed(self.args.seed + self.args.process_index)
            return
        self._tr_loss = torch.tensor(self.progress.loss_unlogged, device=self.args.device)
        self._globalstep_last_logged = self.progress.last_logged_step
        self._come_back()

    def restore(self, checkpoint: Path, max_steps: int) -> None:
        """The state at the end of a training that is already complete; there is nothing left to train.

        The Trainer itself would take one more step.
        """
        self._load_from_checkpoint(str(checkpoint))
        self.state = TrainerState.load_from_json(str(checkpoint / STATE))
        self.state.init_training_references(self, max_steps, math.ceil(self.args.num_train_epochs), None)
        self._come_back()
        if self.args.load_best_model_at_end and self.state.best_model_checkpoint is not None:
            self._load_best_model()

    def _come_back(self) -> None:
        """What every resume needs: the clock, the best checkpoint, the evaluation that was put off."""
        self._saved.add(self.state.global_step)
        self.pace.seconds_before = self.progress.train_seconds
        if self.progress.evaluation_due and self.eval_dataset is not None:
            self._determine_best_metric(metrics=self._evaluate(None, None), trial=None)
        self._point_to_best()

    def _finalize_training(self, *arguments: Any) -> Any:
        """The Trainer's end, without its deletion of the newest checkpoint when only the best is to be kept.

        The newest one says that training is complete, should what follows be cut short.
        """
        limit, self.args.save_total_limit = self.args.save_total_limit, None
        result = super()._finalize_training(*arguments)
        self.args.save_total_limit = limit
        return result
