"""`training_args`: today's names and values, old names mapped or refused, arguments that contradict each other."""

# ruff: noqa: E501 - a case is one line

import pytest

from rallypoint.spec.training import TRAINING_ARGS, broken, mapped
from rallypoint.spec.training.old import CONVERTED, GONE, RENAMED
from rallypoint.spec.training.table import OWNED
from spec.conftest import TRAIN_JOB


def texts(arguments):
    return [f"{name}: {text}" for name, text, _about in broken(arguments)]


WRONG = {
    "nearest name": ({"learnin_rate": 1}, "learnin_rate: is no argument of transformers 5.24.0; did you mean 'learning_rate'?"),
    "camelCase": ({"learningRate": 1}, "learningRate: is no argument of transformers 5.24.0; did you mean 'learning_rate'?"),
    "nothing near": ({"zzz": 1}, "zzz: is no argument of transformers 5.24.0; see the list in docs/spec.md"),
    "text for number": ({"learning_rate": "abc"}, "learning_rate: must be a number (got 'abc')"),
    "quoted number": ({"learning_rate": "2e-5"}, "learning_rate: must be a number (got '2e-5'); remove the quotes"),
    "fraction": ({"max_steps": 1.5}, "max_steps: must be a whole number (got 1.5)"),
    "whole fraction": ({"max_steps": 1000.0}, "max_steps: must be a whole number (got 1000.0); write 1000"),
    "number for boolean": ({"bf16": 1}, "bf16: must be true or false (got 1)"),
    "boolean for number": ({"seed": True}, "seed: must be a whole number (got true)"),
    "number for text": ({"run_name": 3}, "run_name: must be text (got 3); quote it"),
    "null": ({"seed": None}, "seed: has no value (null); give a whole number or remove the key"),
    "list": ({"label_names": "a"}, "label_names: must be a list (got 'a')"),
    "choice": ({"eval_strategy": "epochs"}, "eval_strategy: must be one of epoch, no, steps (got 'epochs'); did you mean 'epoch'?"),
    "many choices": ({"optim": "adamw"}, "optim: must be one of the choices of TrainingArguments (got 'adamw'); did you mean 'adamw_torch_fused'?"),
    "above 0": ({"learning_rate": 0}, "learning_rate: must be above 0 (got 0)"),
    "batch": ({"per_device_train_batch_size": 0}, "per_device_train_batch_size: must be 1 or more (got 0)"),
    "negative": ({"weight_decay": -0.1}, "weight_decay: must be 0 or more (got -0.1)"),
    "below 1": ({"adam_beta1": 1}, "adam_beta1: must be from 0 to below 1 (got 1)"),
    "max_steps": ({"max_steps": 0}, "max_steps: must be 1 or more, or -1 for none (got 0)"),
    "steps": ({"save_steps": 1.5}, "save_steps: must be a whole number of steps, or below 1 a ratio of all (got 1.5)"),
    "fp16 and bf16": ({"fp16": True, "bf16": True}, "fp16: only one of fp16 and bf16 can be true (got both); remove one"),
    "plateau": (
        {"lr_scheduler_type": "reduce_lr_on_plateau"},
        "lr_scheduler_type: reduce_lr_on_plateau needs evaluation (eval_strategy is 'no'); set eval_strategy to epoch or steps",
    ),
    "prefetch": (
        {"dataloader_prefetch_factor": 2},
        "dataloader_prefetch_factor: needs loader workers (got 2 and dataloader_num_workers 0); set dataloader_num_workers to 1 or more",
    ),
    "save best": ({"save_strategy": "best"}, "save_strategy: best needs evaluation (eval_strategy is 'no'); set eval_strategy to epoch or steps"),
    "best model, strategies": (
        {"load_best_model_at_end": True, "eval_strategy": "epoch"},
        "load_best_model_at_end: needs equal strategies for evaluation and saving (eval_strategy is 'epoch', "
        "save_strategy is 'steps'); set both to epoch or both to steps",
    ),
    "best model, steps": (
        {"load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 20, "save_steps": 30},
        "load_best_model_at_end: needs every save at an evaluation (save_steps is 30, eval_steps is 20); "
        "make save_steps a multiple of eval_steps",
    ),
    "best model, a ratio of nothing": (
        {"load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 1e-8, "save_steps": 0.5},
        "load_best_model_at_end: needs every save at an evaluation (save_steps is 0.5, eval_steps is 1e-08); "
        "make save_steps a multiple of eval_steps",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_answered(arguments, message):
    assert texts(arguments) == [message]


SOUND = [
    {
        "learning_rate": 2e-5,
        "num_train_epochs": 3,
        "eval_strategy": "no",
        "warmup_steps": 0.1,
        "max_steps": -1,
    },
    {"load_best_model_at_end": True, "eval_strategy": "epoch", "save_strategy": "epoch"},
    {"load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 20, "save_steps": 40},
    {"load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 0.1, "save_steps": 0.3},
    {"load_best_model_at_end": True, "eval_strategy": "steps", "logging_steps": 50},
    {"load_best_model_at_end": True, "eval_strategy": "epoch", "save_strategy": "best"},
    {"lr_scheduler_type": "reduce_lr_on_plateau", "eval_strategy": "epoch"},
    {"dataloader_num_workers": 2, "dataloader_prefetch_factor": 2, "dataloader_persistent_workers": True},
    {"fsdp": True, "fsdp_config": {"min_num_params": 1}, "deepspeed": "ds.json", "report_to": ["wandb"]},
    {"lr_scheduler_kwargs": {"min_lr": 1e-6}, "tf32": None, "gradient_checkpointing": True},
]


@pytest.mark.parametrize("arguments", SOUND)
def test_sound_arguments_pass(arguments):
    assert texts(arguments) == []


@pytest.mark.parametrize("name", sorted(OWNED))
def test_an_argument_that_is_ours_is_refused_with_the_reason(name):
    (text,) = texts({name: "x"})
    given = "" if "token" in name else " (got 'x')"
    assert text.startswith(f"{name}: is not for a job file{given}: ")


OLD = [
    ({"evaluation_strategy": "epoch"}, {"eval_strategy": "epoch"}),
    ({"evaluation_strategy": False}, {"eval_strategy": "no"}),
    ({"warmup_ratio": 0.1}, {"warmup_steps": 0.1}),
    ({"group_by_length": True}, {"train_sampling_strategy": "group_by_length"}),
    ({"group_by_length": False}, {}),
    ({"per_gpu_train_batch_size": 4}, {"per_device_train_batch_size": 4}),
    ({"adafactor": True}, {"optim": "adafactor"}),
    ({"save_safetensors": True}, {}),
    ({"include_inputs_for_metrics": True}, {"include_for_metrics": ["inputs"]}),
    ({"include_tokens_per_second": True}, {}),
]


@pytest.mark.parametrize(("old", "today"), OLD)
def test_an_old_name_is_mapped_with_a_notice(old, today):
    found = mapped(old)
    assert (found.arguments, [name for name, _text in found.notices], found.problems) == (
        today,
        list(old),
        [],
    )


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ({"warmup_ratio": 1.5}, "must be a number from 0 to below 1 (got 1.5); today's name is warmup_steps, which takes a ratio below 1"),
        ({"group_by_length": 1}, "must be true or false (got 1); today's name is train_sampling_strategy"),
        ({"save_safetensors": False}, "is gone: transformers 5 always saves safetensors; remove it"),
        ({"logging_dir": "x"}, "is no argument of transformers 5.24.0 (got 'x'); set env.TENSORBOARD_LOGGING_DIR instead"),
        ({"tokenizer": "x"}, "is no argument of transformers 5.24.0 (got 'x'); the trainer takes the tokenizer of train.model; remove it"),
        ({"evaluation_strategy": "no", "eval_strategy": "epoch"}, "the old name of eval_strategy, given too (got 'no' and 'epoch'); keep eval_strategy"),
    ],
)  # fmt: skip
def test_an_old_name_that_cannot_be_mapped_says_what_to_write(old, message):
    assert mapped(old).problems == [(next(iter(old)), message)]


def test_no_old_name_is_an_argument_today():
    assert not {*RENAMED, *CONVERTED, *GONE} & set(TRAINING_ARGS)


def test_every_old_name_leads_to_an_argument_of_today():
    assert set(RENAMED.values()) <= set(TRAINING_ARGS)


def test_the_defaults_pass_their_own_checks():
    defaults = {name: item.default for name, item in TRAINING_ARGS.items() if name not in OWNED}
    assert texts(defaults) == []


@pytest.mark.parametrize("spelled", ["no", "No", "NO", "off", "n", "false", "'no'"])
@pytest.mark.parametrize(
    "name", ["eval_strategy", "save_strategy", "logging_strategy", "evaluation_strategy"]
)
def test_a_bare_no_is_the_strategy_no(loaded, name, spelled):
    text = f"name: a\ntrain:\n  task: text-classification\n  model: m\n  dataset: {{path: d}}\n  training_args: {{{name}: {spelled}}}\n"
    assert set(loaded(text).job.train.training_args.values()) == {"no"}


def test_a_mapped_name_is_noted_with_its_line_and_stands_in_the_document(loaded):
    job = loaded(
        {**TRAIN_JOB, "train": {**TRAIN_JOB["train"], "training_args": {"evaluation_strategy": "epoch"}}}
    )
    assert job.document["train"]["training_args"] == {"eval_strategy": "epoch"}
    assert job.notices == (
        "job.yaml:1: train.training_args.evaluation_strategy: the old name; read as eval_strategy: 'epoch'",
    )


@pytest.mark.parametrize("spelled", ["2e-5", "2.0e-5", "0.00002", "2E-05"])
def test_a_learning_rate_is_a_number_however_it_is_written(loaded, spelled):
    text = f"name: a\ntrain:\n  task: text-classification\n  model: m\n  dataset: {{path: d}}\n  training_args: {{learning_rate: {spelled}}}\n"
    assert loaded(text).job.train.training_args == {"learning_rate": 2e-5}
