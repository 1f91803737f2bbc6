"""A small job for every test; the environment that all its processes share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trainer.ranks import Job
from trainer.small import make_model, rows, write_jsonl

os.environ.update({"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"})


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where prepared data goes; set before anything imports datasets."""
    folder = tmp_path_factory.mktemp("hf")
    os.environ["HF_HOME"] = str(folder)
    os.environ["HF_DATASETS_CACHE"] = str(folder / "datasets")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random BERT without dropout."""
    return make_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="module")
def make_job(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Iterator[Callable[..., Job]]:
    """Two nodes, a tiny BERT, 100 pairs, ten steps of four samples per rank, whatever `arguments` add."""
    made: list[Job] = []

    def make(nodes: int = 2, **arguments: Any) -> Job:
        folder = tmp_path_factory.mktemp("job")
        files = {
            "train": write_jsonl(folder / "train.jsonl", rows(100)),
            "validation": write_jsonl(folder / "validation.jsonl", rows(37, seed=1)),
        }
        defaults = {
            "max_steps": 10, "per_device_train_batch_size": 4, "logging_steps": 1, "learning_rate": 1e-3,
            "save_strategy": "no", "bf16": False,
        }  # fmt: skip
        train = {
            "task": "text-classification",
            "model": str(tiny_model),
            "dataset": {"data_files": {split: str(path) for split, path in files.items()}},
            "training_args": {**defaults, **arguments},
        }
        document = {
            "version": 1, "name": "tiny", "nodes": nodes, "nproc_per_node": 1, "gpus": 0,
            "output": str(folder / "output"), "train": train,
        }  # fmt: skip
        made.append(Job(folder, document))
        return made[-1]

    yield make
    for job in made:
        for ranks in job.running:
            ranks.kill()
