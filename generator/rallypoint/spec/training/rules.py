"""What is wrong with `training_args`: unknown names, types, ranges, and arguments that contradict each other.

Refuses to know the rest of the job.
"""

from __future__ import annotations

import difflib
from typing import Any

from rallypoint.spec.training.old import CONVERTED, GONE, RENAMED
from rallypoint.spec.training.table import OWNED, TRAINING_ARGS, VERSION
from rallypoint.spec.written import shown

ABOVE_ZERO = (
    "learning_rate",
    "num_train_epochs",
    "adam_epsilon",
    "logging_steps",
    "eval_steps",
    "save_steps",
)
AT_LEAST_ZERO = (
    "warmup_steps", "weight_decay", "max_grad_norm", "eval_delay", "dataloader_num_workers", "seed",
    "data_seed", "neftune_noise_alpha",
)  # fmt: skip
AT_LEAST_ONE = (
    "per_device_train_batch_size", "per_device_eval_batch_size", "gradient_accumulation_steps",
    "save_total_limit", "dataloader_prefetch_factor", "torch_empty_cache_steps", "eval_accumulation_steps",
    "ddp_bucket_cap_mb", "ddp_timeout",
)  # fmt: skip
BELOW_ONE = ("adam_beta1", "adam_beta2", "label_smoothing_factor")
STEPS = ("logging_steps", "eval_steps", "save_steps")
"""Whole numbers of steps, or below 1 a ratio of all."""
_EVALUATE = "needs evaluation (eval_strategy is 'no'); set eval_strategy to epoch or steps"
Broken = tuple[str, str, tuple[str, ...]]
"""An argument's name, what is wrong with it, and the further names that this is about."""


def broken(arguments: dict[str, Any]) -> list[Broken]:
    """Name, message and further names it is about, for each thing wrong; today's names only."""
    found: list[Broken] = []
    sound: dict[str, Any] = {}
    for name, value in arguments.items():
        text = _single(name, value)
        if text:
            found.append((name, text, ()))
        else:
            sound[name] = value
    wrong = arguments.keys() - sound.keys()
    return found + [item for item in _together(sound) if not wrong & {item[0], *item[2]}]


def _single(name: str, value: Any) -> str:
    """What is wrong with one argument; empty when nothing is."""
    if name in OWNED:
        given = "" if "token" in name else f" (got {shown(value)})"  # no message may print a credential
        return f"is not for a job file{given}: {OWNED[name]}"
    argument = TRAINING_ARGS.get(name)
    if argument is None:
        return _unknown(name)
    if not argument.fits(value):
        if value is None:
            return f"has no value (null); give {argument.expected()} or remove the key"
        return f"must be {argument.expected()} (got {shown(value)}){_unquoted(argument.types, value)}"
    if argument.choices and isinstance(value, str) and value not in argument.choices:
        longer = [argument.default] if str(argument.default).startswith(value) else []
        guess = longer or difflib.get_close_matches(value, argument.choices, n=1, cutoff=0.6)
        many = len(argument.choices) > 12
        choices = (
            "one of the choices of TrainingArguments" if many else f"one of {', '.join(argument.choices)}"
        )
        return f"must be {choices} (got {shown(value)})" + (f"; did you mean '{guess[0]}'?" if guess else "")
    return _range(name, value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _unquoted(types: tuple[str, ...], value: Any) -> str:
    """The advice for a quoted number, or for a number with a fraction where whole ones go."""
    if isinstance(value, str) and {"int", "float"} & set(types):
        try:
            float(value)
        except ValueError:
            return ""
        return "; remove the quotes"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"; write {int(value)}"
    return "; quote it" if isinstance(value, bool | int | float) and "str" in types else ""


def _unknown(name: str) -> str:
    """The message for a name that TrainingArguments does not have."""
    known = [*TRAINING_ARGS, *RENAMED, *CONVERTED, *GONE]
    folded = {item.replace("_", ""): item for item in known}
    guess = folded.get(name.replace("_", "").replace("-", "").lower())
    near = [guess] if guess else difflib.get_close_matches(name[:64], known, n=1, cutoff=0.7)
    advice = f"did you mean '{near[0]}'?" if near else "see the list in docs/spec.md"
    return f"is no argument of transformers {VERSION}; {advice}"


def _range(name: str, value: float) -> str:
    """What is wrong with a number's size; empty when nothing is."""
    got = f"(got {shown(value)})"
    if not -1e18 < value < 1e18:
        return f"must be a finite number of common size {got}"
    if name in ABOVE_ZERO and value <= 0:
        return f"must be above 0 {got}"
    if name in AT_LEAST_ZERO and value < 0:
        return f"must be 0 or more {got}"
    if name in AT_LEAST_ONE and value < 1:
        return f"must be 1 or more {got}"
    if name in BELOW_ONE and not 0 <= value < 1:
        return f"must be from 0 to below 1 {got}"
    if name == "max_steps" and value != -1 and value < 1:
        return f"must be 1 or more, or -1 for none {got}"
    if name in STEPS and value > 1 and not float(value).is_integer():
        return f"must be a whole number of steps, or below 1 a ratio of all {got}"
    return ""


def _together(arguments: dict[str, Any]) -> list[Broken]:
    """What is wrong between arguments, each sound by itself."""
    got = {name: arguments.get(name, TRAINING_ARGS[name].default) for name in TRAINING_ARGS}
    found = _best_model(got) if got["load_best_model_at_end"] else []
    for half, full in (("fp16", "bf16"), ("fp16_full_eval", "bf16_full_eval")):
        if got[half] and got[full]:
            found.append((half, f"only one of {half} and {full} can be true (got both); remove one", (full,)))
    if got["lr_scheduler_type"] in ("reduce_lr_on_plateau", "greedy") and got["eval_strategy"] == "no":
        text = f"{got['lr_scheduler_type']} {_EVALUATE}"
        found.append(("lr_scheduler_type", text, ("eval_strategy",)))
    if got["dataloader_num_workers"] == 0:
        for name in ("dataloader_prefetch_factor", "dataloader_persistent_workers"):
            if got[name]:
                both = f"{shown(got[name])} and dataloader_num_workers 0"
                text = f"needs loader workers (got {both}); set dataloader_num_workers to 1 or more"
                found.append((name, text, ("dataloader_num_workers",)))
    if got["save_strategy"] == "best" and got["eval_strategy"] == "no":
        text = f"best {_EVALUATE}"
        found.append(("save_strategy", text, ("eval_strategy",)))
    return found


def _best_model(got: dict[str, Any]) -> list[Broken]:
    """Why the best model could not be loaded at the end."""
    evaluates, saves = got["eval_strategy"], got["save_strategy"]
    if saves == "best" and evaluates != "no":
        return []
    name = "load_best_model_at_end"
    if evaluates != saves or evaluates == "no":
        text = (
            f"needs equal strategies for evaluation and saving (eval_strategy is '{evaluates}', "
            f"save_strategy is '{saves}'); set both to epoch or both to steps"
        )
        return [(name, text, ("eval_strategy", "save_strategy"))]
    every_save = got["save_steps"]
    every_eval = got["logging_steps"] if got["eval_steps"] is None else got["eval_steps"]
    if evaluates != "steps" or _multiple(every_save, every_eval):
        return []
    text = (
        f"needs every save at an evaluation (save_steps is {shown(every_save)}, eval_steps is "
        f"{shown(every_eval)}); make save_steps a multiple of eval_steps"
    )
    return [(name, text, ("save_steps", "eval_steps", "logging_steps"))]


def _multiple(saves: float, evaluations: float) -> bool:
    """Whether every save falls on an evaluation; ratios and whole numbers do not mix."""
    # as the Trainer does for ratios: whole numbers escape the float's remainder
    millionths = round(evaluations * 1_000_000)
    if (saves < 1) != (evaluations < 1) or millionths == 0:
        return False
    return round(saves * 1_000_000) % millionths == 0
