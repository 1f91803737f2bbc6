"""The two training jobs of the tests, as files that a local run and a rendered one both read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from ..trainer import small
from .image_example import DATA, MODEL, ROOT, TINY, write_tiny_data
from .run import CLAIM

EXAMPLE = ROOT / "examples" / "mrpc" / "job.yaml"

SHARE = "200m"
"""CPU that each pod asks for, without a limit: three share the cores of one node; none would starve them."""

SMALL_MACHINE = (
    "resources.cpu=null",
    f"container_patch.resources.requests.cpu={SHARE}",
    "resources.memory=2Gi",
    "resources.shm=64Mi",
    f"output.pvc={CLAIM}",
    "output.size=null",
    "train.training_args.bf16=false",
)
"""What the example asks for, cut down to a node with two cores; the numbers stay those of float32."""

TINY_STEPS = 600
TINY_LOGGED = 60
SAVE_STEPS = 50


def tiny_job(**training_args: Any) -> dict[str, Any]:
    """600 steps of a tiny BERT with dropout, one logged loss every 10, a checkpoint every 50."""
    arguments = {
        "max_steps": TINY_STEPS,
        "per_device_train_batch_size": 4,
        "learning_rate": 2e-4,  # a higher one makes more of the last digit that a resume may change
        "logging_steps": TINY_STEPS // TINY_LOGGED,
        "logging_first_step": False,
        "save_strategy": "steps",
        "save_steps": SAVE_STEPS,
        "save_total_limit": 3,
        "eval_strategy": "no",
        "bf16": False,
    }
    files = {split: f"../data/{TINY}/{split}.jsonl" for split in ("train", "validation")}
    train = {
        "task": "text-classification",
        "model": f"../models/{TINY}",
        "dataset": {"data_files": files},
        "training_args": {**arguments, **training_args},
    }
    resources = {"memory": "2Gi", "shm": "64Mi"}
    return {
        "name": TINY,
        "nodes": 3,
        "train": train,
        "resources": resources,
        "container_patch": {"resources": {"requests": {"cpu": SHARE}}},
        "output": {"pvc": CLAIM},
        "grace_period": "60s",
        "max_restarts": 3,
    }


def write_tiny(folder: Path, **training_args: Any) -> Path:
    """The job file, with model and data where its relative paths lead on this machine."""
    small.make_model(folder / "models" / TINY, dropout=0.1)
    (folder / "data" / TINY).mkdir(parents=True)
    write_tiny_data(folder / "data" / TINY)
    return write_job(folder, tiny_job(**training_args))


def write_job(folder: Path, job: dict[str, Any]) -> Path:
    path = folder / "job" / "job.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(job))  # JSON is YAML
    return path


def remove_checkpoints(folder: Path) -> None:
    """Leaves the results of a finished run, without what fills the disk."""
    for path in [*folder.glob("checkpoint-*"), folder / "model"]:
        shutil.rmtree(path, ignore_errors=True)


__all__ = [
    "DATA",
    "EXAMPLE",
    "MODEL",
    "SMALL_MACHINE",
    "remove_checkpoints",
    "tiny_job",
    "write_job",
    "write_tiny",
]
