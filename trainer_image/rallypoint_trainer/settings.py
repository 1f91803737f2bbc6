"""What a checkpoint was trained with, and whether a run may go on from it.

Longer training and another cadence may, with a notice; what changes the course of training may not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rallypoint.errors import InputError
from rallypoint.spec import DatasetSpec
from rallypoint_trainer.contract import Contract

COURSE = (
    "per_device_train_batch_size", "gradient_accumulation_steps", "learning_rate", "seed", "data_seed",
    "weight_decay", "adam_beta1", "adam_beta2", "adam_epsilon", "max_grad_norm", "lr_scheduler_type",
    "lr_scheduler_kwargs", "warmup_steps", "optim", "optim_args", "label_smoothing_factor",
    "neftune_noise_alpha", "train_sampling_strategy", "dataloader_drop_last", "bf16", "fp16",
)  # fmt: skip
"""Arguments that decide which numbers come out of each step."""

CADENCE = (
    "num_train_epochs", "max_steps", "logging_strategy", "logging_steps", "logging_first_step",
    "eval_strategy", "eval_steps", "save_strategy", "save_steps", "save_total_limit",
    "per_device_eval_batch_size", "metric_for_best_model",
)  # fmt: skip
"""Arguments that decide how long, and how often something is said or saved."""

PLACE = "train.dataset"


def settings_of(contract: Contract, arguments: Any, samples: int, digest: str) -> dict[str, Any]:
    """The settings by dotted key, all plain JSON."""
    values = arguments.to_dict()
    return {
        "train.task": contract.train.task,
        **{f"train.model.{key}": value for key, value in contract.model.model_dump(mode="json").items()},
        "world_size": contract.world_size,
        **{f"train.training_args.{name}": values[name] for name in (*COURSE, *CADENCE) if name in values},
        f"{PLACE}.samples": samples,
        f"{PLACE}.digest": digest,
        PLACE: _place(contract.train.dataset),
    }


def compare(old: Mapping[str, Any], new: Mapping[str, Any], checkpoint: str) -> list[str]:
    """Notices about what differs and may; `old` comes from `checkpoint`.

    Raises: InputError with a line for each thing that differs and may not, old and new value in it.
    """
    problems, notices = [], []
    for key in new.keys() & old.keys():
        if old[key] == new[key] or key == f"{PLACE}.samples":
            continue
        if key.removeprefix("train.training_args.") in CADENCE:
            notices.append(f"{key}: {old[key]} in {checkpoint}, {new[key]} from now on")
        elif key == f"{PLACE}.digest":
            problems.append(_other_data(old, new, checkpoint))
        elif key == PLACE:
            if old.get(f"{PLACE}.digest") == new[f"{PLACE}.digest"]:
                notices.append(f"{key}: the same samples from another place ({old[key]}, now {new[key]})")
        else:
            problems.append(
                f"{key}: {checkpoint} was trained with {old[key]!r}, the job says {new[key]!r}; "
                "set it back, or start anew with --fresh or another name"
            )
    if problems:
        raise InputError("\n".join(sorted(problems)))
    return sorted(notices)


def _place(dataset: DatasetSpec) -> str:
    """Where the training samples come from, in one line."""
    said = dataset.model_dump(exclude_unset=True, exclude={"max_eval_samples", "validation_split_name"})
    return ", ".join(f"{key}: {value}" for key, value in sorted(said.items()))


def _other_data(old: Mapping[str, Any], new: Mapping[str, Any], checkpoint: str) -> str:
    """The line for data that are not the same samples."""
    was, now = (f"{one[f'{PLACE}.samples']} samples, {one[PLACE]}" for one in (old, new))
    return (
        f"{PLACE}: {checkpoint} was trained on other samples (was: {was}; now: {now}); "
        "set it back, or start anew with --fresh or another name"
    )
