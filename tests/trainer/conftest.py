"""A tiny BERT of our own, small data, and a way to run several ranks on this machine."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

WORDS = "the a cat dog sat ran on in under mat house tree red blue old new and not very it was is".split()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random two-layer BERT without dropout and a WordPiece tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny") / "model"
    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=64,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def rows(count: int, seed: int = 0, first: str = "sentence1", second: str | None = "sentence2") -> list[Any]:
    """`count` pairs of uneven length; the label says whether a pair shares a word, so it can be learnt."""
    import random

    source = random.Random(seed)
    result = []
    for _ in range(count):
        texts = [" ".join(source.choices(WORDS, k=source.randint(2, 20))) for _ in range(2)]
        label = int("cat" in texts[0].split() or "dog" in texts[0].split())
        result.append({first: texts[0], **({second: texts[1]} if second else {}), "label": label})
    return result


def write_jsonl(path: Path, lines: list[Any]) -> Path:
    """`path`, with one JSON object per line."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@dataclass
class Ended:
    """How a run ended."""

    codes: list[int]
    output: Path
    stdout: str
    stderr: str
    errors: list[str] = field(default_factory=list)

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        """What events.jsonl says."""
        lines = (self.output / "events.jsonl").read_text().splitlines()
        return [event for event in map(json.loads, lines) if kind in (None, event["event"])]

    def losses(self) -> dict[int, float]:
        """The logged loss by step."""
        return {event["step"]: event["loss"] for event in self.events("log")}

    @property
    def metrics(self) -> dict[str, Any]:
        """metrics.json."""
        return json.loads((self.output / "metrics.json").read_text())


class Ranks:
    """The processes of one run, with torchrun's environment."""

    def __init__(self, folder: Path, document: dict[str, Any], environment: dict[str, str]) -> None:
        self.folder = folder
        self.output = Path(document["output"])
        contract = folder / "contract.json"
        contract.write_text(json.dumps(document))
        self.size = document["nodes"] * document["nproc_per_node"]
        local = document["nproc_per_node"]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.processes = []
        for rank in range(self.size):
            variables = {
                **os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank % local), "WORLD_SIZE": str(self.size),
                "LOCAL_WORLD_SIZE": str(local), "GROUP_RANK": str(rank // local), "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1",
                "HF_HOME": str(folder.parent / "hf"), "RALLYPOINT_STEP_FILE": str(folder / f"step-{rank}"),
                "TORCHELASTIC_ERROR_FILE": str(folder / f"error-{rank}.json"), **environment,
            }  # fmt: skip
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, "-u", "-m", "rallypoint_trainer", str(contract)],
                    env=variables,
                    stdout=(folder / f"stdout-{rank}").open("w"),
                    stderr=(folder / f"stderr-{rank}").open("w"),
                    cwd=folder,
                )
            )

    def wait(self, timeout: float = 120) -> Ended:
        """How all of them ended; a rank that outlives the others by long is killed and fails the test."""
        end = time.monotonic() + timeout
        codes = []
        try:
            for process in self.processes:
                codes.append(process.wait(max(0.1, end - time.monotonic())))
        finally:
            self.kill()
        text = {
            kind: "".join((self.folder / f"{kind}-{rank}").read_text() for rank in range(self.size))
            for kind in ("stdout", "stderr")
        }
        errors = [
            json.loads(path.read_text())["message"]["message"]
            for path in sorted(self.folder.glob("error-*.json"))
            if path.stat().st_size
        ]
        return Ended(codes, self.output, text["stdout"], text["stderr"], errors)

    def kill(self) -> None:
        """Ends what still runs."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()

    def signal(self, rank: int, number: int = signal.SIGTERM) -> None:
        """Sends a signal to one rank."""
        self.processes[rank].send_signal(number)

    def until(self, condition: Callable[[], bool], timeout: float = 60) -> None:
        """Returns when `condition` holds; fails when a process ends or time runs out before."""
        end = time.monotonic() + timeout
        while not condition():
            codes = [process.poll() for process in self.processes]
            assert codes == [None] * len(codes), (codes, self.wait().stderr)
            assert time.monotonic() < end, "waited too long"
            time.sleep(0.02)

    def step(self) -> int:
        """The step that rank 0 has written last; 0 before the first."""
        try:
            return int((self.folder / "step-0").read_text() or 0)
        except (OSError, ValueError):
            return 0


class Job:
    """A small job that a test changes in one place."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.folder = folder
        self.count = 0
        self.environment: dict[str, str] = {}
        self.running: list[Ranks] = []
        write_jsonl(folder / "train.jsonl", rows(100))
        write_jsonl(folder / "validation.jsonl", rows(37, seed=1))
        self.document: dict[str, Any] = {
            "version": 1, "name": "tiny", "nodes": 2, "nproc_per_node": 1, "gpus": 0, "output": str(folder / "output"),
            "train": {
                "task": "text-classification",
                "model": str(model),
                "dataset": {
                    "data_files": {"train": str(folder / "train.jsonl"), "validation": str(folder / "validation.jsonl")}
                },
                "training_args": {
                    "max_steps": 10, "per_device_train_batch_size": 4, "logging_steps": 1, "learning_rate": 1e-3,
                    "save_strategy": "no", "bf16": False,
                },
            },
        }  # fmt: skip

    @property
    def train(self) -> dict[str, Any]:
        """The `train` part."""
        return self.document["train"]

    @property
    def arguments(self) -> dict[str, Any]:
        """`training_args`."""
        return self.train["training_args"]

    def start(self) -> Ranks:
        """The job's processes, running."""
        self.count += 1
        folder = self.folder / f"run-{self.count}"
        folder.mkdir()
        ranks = Ranks(folder, self.document, self.environment)
        self.running.append(ranks)
        return ranks

    def run(self, timeout: float = 120) -> Ended:
        """The job, run to its end."""
        return self.start().wait(timeout)


@pytest.fixture
def job(tmp_path: Path, tiny_model: Path) -> Iterator[Job]:
    """Two nodes, a tiny BERT, 100 pairs, ten steps."""
    made = Job(tmp_path, tiny_model)
    yield made
    for ranks in made.running:
        ranks.kill()
