"""Names that older transformers had: mapped to today's, or refused with what stands in their place.

Source: transformers 4.57.6 and 5.24.0, TrainingArguments, compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rallypoint.spec.training.table import NO_MEANS_NO, VERSION
from rallypoint.spec.written import shown

Change = tuple[str, Any] | str | None
"""The new name and value; a sentence that refuses the value; or None when the value was the default."""

RENAMED = {
    "evaluation_strategy": "eval_strategy",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "push_to_hub_model_id": "hub_model_id",
    "torchdynamo": "torch_compile_backend",
}


def _warmup_ratio(value: Any) -> Change:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        return "must be a number from 0 to below 1"
    return "warmup_steps", value


def _flag(name: str, value_when_true: Any) -> Callable[[Any], Change]:
    def change(value: Any) -> Change:
        if not isinstance(value, bool):
            return "must be true or false"
        return (name, value_when_true) if value else None

    return change


def _save_safetensors(value: Any) -> Change:
    if value is False:
        return "is gone: transformers 5 always saves safetensors; remove it"
    return None if value is True else "must be true or false"


def _no_change(value: Any) -> Change:
    return None if isinstance(value, bool) else "must be true or false"


CONVERTED: dict[str, tuple[str, Callable[[Any], Change]]] = {
    "warmup_ratio": ("warmup_steps, which takes a ratio below 1", _warmup_ratio),
    "group_by_length": ("train_sampling_strategy", _flag("train_sampling_strategy", "group_by_length")),
    "adafactor": ("optim", _flag("optim", "adafactor")),
    "include_inputs_for_metrics": ("include_for_metrics", _flag("include_for_metrics", ["inputs"])),
    "save_safetensors": ("nothing, safetensors are always saved", _save_safetensors),
    "include_tokens_per_second": ("nothing, tokens per second are always reported", _no_change),
}
"""Old name: what stands in its place, and how a value becomes the new one's."""

GONE = {
    "logging_dir": "set env.TENSORBOARD_LOGGING_DIR instead",
    "tokenizer": "the trainer takes the tokenizer of train.model; remove it",
    "processing_class": "the trainer takes the tokenizer of train.model; remove it",
    "fp16_backend": "use fp16 or bf16 alone",
    "half_precision_backend": "use fp16 or bf16 alone",
    "fp16_opt_level": "use fp16 or bf16 alone",
    "fsdp_min_num_params": "use fsdp_config: {min_num_params: N}",
    "fsdp_transformer_layer_cls_to_wrap": "use fsdp_config: {transformer_layer_cls_to_wrap: [Name]}",
    "push_to_hub_organization": "use hub_model_id: organization/name",
    "dispatch_batches": "use accelerator_config: {dispatch_batches: ...}",
    "split_batches": "use accelerator_config: {split_batches: ...}",
    "max_seq_length": "set train.dataset.max_seq_length",
    "max_length": "set train.dataset.max_seq_length",
    "max_train_samples": "set train.dataset.max_train_samples",
    "max_eval_samples": "set train.dataset.max_eval_samples",
    "tpu_metrics_debug": "remove it",
    "tpu_num_cores": "remove it",
    "jit_mode_eval": "use torch_compile",
    "use_ipex": "use torch_compile",
    "mp_parameters": "remove it",
    "past_index": "remove it",
    "ray_scope": "remove it",
    "use_legacy_prediction_loop": "remove it",
    "_n_gpu": "set resources.gpus",
    "n_gpu": "set resources.gpus",
}


class Mapped(NamedTuple):
    """`training_args` under today's names."""

    arguments: dict[str, Any]
    notices: list[tuple[str, str]]
    """Old name, and what became of it."""
    problems: list[tuple[str, str]]
    """Old name, and why it could not be mapped."""
    names: dict[str, str]
    """Today's name of each old one that was mapped; empty where it has no effect any more."""


def mapped(arguments: dict[str, Any]) -> Mapped:
    """`arguments` with old names replaced and a strategy's false spelled `no`, in the order given."""
    found = Mapped({}, [], [], {})
    for name, value in arguments.items():
        if name in GONE:
            text = f"is no argument of transformers {VERSION} (got {shown(value)}); {GONE[name]}"
            found.problems.append((name, text))
        elif name in RENAMED or name in CONVERTED:
            _map(found, arguments, name, value)
        else:
            found.arguments[name] = _strategy(name, value)
    return found


def _map(found: Mapped, arguments: dict[str, Any], name: str, value: Any) -> None:
    """One old name into `found`."""
    new, convert = CONVERTED.get(name, (RENAMED.get(name, ""), None))
    change: Change = convert(value) if convert else (RENAMED[name], _strategy(name, value))
    if isinstance(change, str):
        text = change if ";" in change else f"{change} (got {shown(value)}); today's name is {new}"
        found.problems.append((name, text))
    elif change is None:
        found.names[name] = ""
        found.notices.append(
            (name, f"the old name has no effect in transformers {VERSION}; in its place: {new}")
        )
    elif change[0] in arguments:
        old, today = shown(value), shown(arguments[change[0]])
        text = f"the old name of {change[0]}, given too (got {old} and {today}); keep {change[0]}"
        found.problems.append((name, text))
    else:
        found.arguments[change[0]] = change[1]
        found.names[name] = change[0]
        found.notices.append((name, f"the old name; read as {change[0]}: {shown(change[1])}"))


def _strategy(name: str, value: Any) -> Any:
    """`no` for a strategy's false: YAML 1.1 reads a bare `no` so."""
    return "no" if value is False and name in NO_MEANS_NO else value
