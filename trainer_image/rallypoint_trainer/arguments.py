"""TrainingArguments from the job's `training_args`, with our defaults beneath and our own fields on top.

docs/trainer.md has the table of every default that differs from transformers' own, with the reasons.
Refuses old names, unknown names, and what the launcher and the trainer decide.
"""

from __future__ import annotations

import dataclasses
import difflib
from pathlib import Path
from typing import Any

from transformers import TrainingArguments
from transformers.integrations import get_reporting_integration_callbacks

from rallypoint.errors import InputError
from rallypoint_trainer.blame import WHERE, blame, blamed_on

OURS = {
    "output_dir": "the job's output says where",
    "use_cpu": "resources.gpus says it",
    "ddp_backend": "resources.gpus says it",
    "resume_from_checkpoint": "the newest valid checkpoint is found by itself",
    "save_on_each_node": "one rank writes for all",
}
REFUSED = {
    "auto_find_batch_size": "ranks could end up with different batches",
    "enable_jit_checkpoint": "on SIGTERM all ranks save by themselves",
    "ignore_data_skip": "samples would be seen twice or never after a resume",
    "push_to_hub": "upload <output>/model when the job is done",
    "save_only_model": "the job could not be resumed",
}
RENAMED = {
    "evaluation_strategy": "eval_strategy",
    "group_by_length": "train_sampling_strategy: group_by_length",
    "warmup_ratio": "warmup_steps, which takes a ratio below 1 too",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "gradient_checkpointing": "activation_checkpointing",
    "gradient_checkpointing_kwargs": "activation_checkpointing_kwargs",
    "no_cuda": "resources.gpus: 0",
    "logging_dir": "env TENSORBOARD_LOGGING_DIR",
    "overwrite_output_dir": "the option --fresh",
    "tokenizer": "train.model, whose tokenizer is used",
}
NEED_GPUS = ("fp16", "fp16_full_eval", "fsdp", "deepspeed", "tf32")
DEFAULTS: dict[str, Any] = {
    "disable_tqdm": True,
    "log_level": "error",
    "log_level_replica": "error",
    "logging_steps": 10,
    "logging_first_step": True,
    "logging_nan_inf_filter": False,
    "ddp_find_unused_parameters": False,
    "ddp_broadcast_buffers": False,
    "train_sampling_strategy": "batch_rebalance",
}


def build_arguments(asked: dict[str, Any], output: Path, gpus: int, bf16: bool) -> TrainingArguments:
    """The arguments of this run; `bf16` holds unless `asked` says something about precision.

    Raises: InputError for each name or value that transformers does not take.
    """
    check_names(asked)
    check_devices(asked, gpus)
    arguments: dict[str, Any] = {**DEFAULTS, "dataloader_pin_memory": gpus > 0}
    if not asks_precision(asked):
        arguments["bf16"] = bf16
    arguments.update(asked)
    arguments.update({"output_dir": str(output), "use_cpu": gpus == 0})
    with blamed_on(asked):
        made = TrainingArguments(**arguments)
    if "report_to" in asked:
        check_reporters(made.report_to, asked["report_to"])
    return made


def check_reporters(names: list[str], asked: Any) -> None:
    """Nothing, when transformers can report to all of `names`.

    Raises: InputError for an unknown one, or one whose package is not there.
    """
    for name in names:
        try:
            for callback in get_reporting_integration_callbacks([name]):
                callback()
        except (ValueError, TypeError, ImportError, RuntimeError) as error:
            raise InputError(blame({"report_to": asked}, error, ["report_to"])) from error


def check_devices(asked: dict[str, Any], gpus: int) -> None:
    """Nothing, when a job without GPUs asks for nothing that only they can do.

    Raises: InputError with a line per argument.
    """
    problems = [
        f"{WHERE}.{name}: needs GPUs ({asked[name]!r}, resources.gpus is 0); remove it, or ask for GPUs"
        for name in NEED_GPUS
        if asked.get(name) and gpus == 0
    ]
    if problems:
        raise InputError("\n".join(problems))


def asks_precision(asked: dict[str, Any]) -> bool:
    """Whether the job itself says in which precision to train."""
    return "bf16" in asked or "fp16" in asked


def check_names(asked: dict[str, Any]) -> None:
    """Nothing, when every name is one of transformers' and not ours.

    Raises: InputError with a line per name.
    """
    known = [field.name for field in dataclasses.fields(TrainingArguments) if field.init]
    problems = [problem for name in asked if (problem := _problem(name, asked[name], known))]
    if problems:
        raise InputError("\n".join(f"{WHERE}.{problem}" for problem in problems))


def _problem(name: str, value: Any, known: list[str]) -> str | None:
    """What is wrong with the argument `name`, and what to do."""
    if name in OURS:
        return f"{name}: not yours to set ({value!r}), {OURS[name]}; remove it"
    if name in REFUSED:
        return f"{name}: not supported ({value!r}), {REFUSED[name]}; remove it" if value else None
    if name in RENAMED:
        return f"{name}: transformers 5 has no such argument any more ({value!r}); use {RENAMED[name]}"
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean '{close[0]}'?" if close else "see the transformers documentation"
        return f"{name}: unknown argument ({value!r}); {hint}"
    return None


def check_against_data(arguments: TrainingArguments, metrics: list[str], has_validation: bool) -> None:
    """Nothing, when evaluation has something to evaluate, and the best model a metric to be chosen by.

    Raises: InputError.
    """
    strategy = getattr(arguments.eval_strategy, "value", arguments.eval_strategy)
    if not has_validation:
        for name, on in (("eval_strategy", strategy != "no"), ("eval_on_start", arguments.eval_on_start)):
            if on:
                raise InputError(
                    f"{WHERE}.{name}: there is nothing to evaluate on (the data has no validation split); "
                    "add one under train.dataset, or remove it"
                )
    metric = arguments.metric_for_best_model
    if metric is not None and metric.removeprefix("eval_") not in ("loss", *metrics):
        raise InputError(
            f"{WHERE}.metric_for_best_model: evaluation has no '{metric}'; use one of loss, "
            f"{', '.join(metrics)}"
        )
