"""What the libraries refuse in training_args is told with the key that asked for it."""

from __future__ import annotations

import importlib.util

import pytest

from rallypoint.errors import InputError
from rallypoint_trainer.arguments import build_arguments


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("optim", "nosuch"),
        ("lr_scheduler_type", "nosuch"),
        ("eval_strategy", "sometimes"),
        ("report_to", "nosuch"),
        ("report_to", ["tensorboard", "nosuch"]),
    ],
)
def test_a_value_that_transformers_does_not_know_is_told_with_its_key(tmp_path, key, value):
    with pytest.raises(InputError, match=rf"^train\.training_args\.{key}: .*nosuch|sometimes"):
        build_arguments({key: value}, tmp_path, 0, False)


@pytest.mark.parametrize(("key", "value", "package"), [
    ("report_to", "wandb", "wandb"), ("report_to", ["tensorboard", "comet_ml"], "comet_ml"),
])  # fmt: skip
def test_a_package_that_is_not_there_is_told_with_its_key(tmp_path, key, value, package):
    if importlib.util.find_spec(package):
        pytest.skip(f"{package} is installed")
    with pytest.raises(InputError, match=rf"^train\.training_args\.{key}: .*put the package into the image"):
        build_arguments({key: value}, tmp_path, 0, False)


@pytest.mark.parametrize(
    ("key", "value"), [("fp16", True), ("fsdp", True), ("tf32", True), ("fsdp", "full_shard")]
)
def test_what_only_a_gpu_can_do_is_refused_without_one(tmp_path, key, value):
    with pytest.raises(InputError, match=rf"^train\.training_args\.{key}: needs GPUs"):
        build_arguments({key: value}, tmp_path, 0, False)
