"""Optimizer and scheduler, made once for trial: what is wrong with their arguments shows before training."""

from __future__ import annotations

from typing import Any

from rallypoint.errors import InputError
from rallypoint_trainer.blame import blame, blamed_on
from rallypoint_trainer.trainer import ExactTrainer

OPTIMIZER = (
    "optim", "optim_args", "optim_target_modules", "learning_rate", "weight_decay", "adam_beta1",
    "adam_beta2", "adam_epsilon",
)  # fmt: skip
SCHEDULER = ("lr_scheduler_type", "lr_scheduler_kwargs", "warmup_steps")
HOOKED = ("layerwise", "lomo")
"""Optimizers that leave hooks in the model; a trial of these would not be without effect."""


def try_optimizer(trainer: ExactTrainer, asked: dict[str, Any], max_steps: int) -> None:
    """Nothing, when the optimizer and the scheduler can be made; the Trainer makes its own later.

    Raises: InputError that names the arguments which the user set for the one that cannot.
    """
    if trainer.is_deepspeed_enabled or any(part in str(trainer.args.optim).lower() for part in HOOKED):
        return
    try:
        with blamed_on(asked, OPTIMIZER):
            _made(trainer, asked)
        with blamed_on(asked, SCHEDULER):
            trainer.create_scheduler(max_steps)
    finally:
        trainer.optimizer = trainer.lr_scheduler = None
        trainer._created_lr_scheduler = False


def _made(trainer: ExactTrainer, asked: dict[str, Any]) -> None:
    """Makes the optimizer; nothing runs on a device yet, so a RuntimeError is about the arguments too."""
    try:
        trainer.create_optimizer()
    except RuntimeError as error:
        raise InputError(blame(asked, error, OPTIMIZER)) from error
