"""The arguments of transformers.TrainingArguments, from the table that tools/training_args.py writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

_PYTHON = {"float": float, "str": str, "dict": dict, "list": list}


class Argument(NamedTuple):
    """One argument."""

    types: tuple[str, ...]
    """int, float, bool, str, dict, list, null; object for what YAML cannot write."""
    default: Any
    choices: tuple[str, ...]
    """The allowed texts; empty when any is."""
    help: str

    def fits(self, value: Any) -> bool:
        """Whether `value` has one of the types; a whole number is a number."""
        if isinstance(value, bool) or value is None:
            return ("null" if value is None else "bool") in self.types
        if isinstance(value, int):
            return bool({"int", "float"} & set(self.types))
        return any(isinstance(value, _PYTHON[kind]) for kind in self.types if kind in _PYTHON)

    def expected(self) -> str:
        """The types in words."""
        words = {
            "int": "a whole number", "float": "a number", "bool": "true or false", "str": "text",
            "list": "a list", "dict": "a map",
        }  # fmt: skip
        return " or ".join(word for kind, word in words.items() if kind in self.types)


def _read() -> tuple[str, dict[str, Argument]]:
    document = json.loads(Path(__file__).with_name("arguments.json").read_text(encoding="utf-8"))
    arguments = {
        name: Argument(
            tuple(entry["types"]), entry["default"], tuple(entry.get("choices", ())), entry["help"]
        )
        for name, entry in document["arguments"].items()
    }
    return document["transformers"], arguments


VERSION, TRAINING_ARGS = _read()

STRATEGIES = ("eval_strategy", "save_strategy", "logging_strategy", "evaluation_strategy")
"""Where a bare `no` can only mean the text: false has no other meaning there."""

NO_MEANS_NO = (*STRATEGIES, "include_num_input_tokens_seen")
"""Arguments where a bare `no` has one meaning for both readers: the text, since false stands for it too."""

OWNED = {
    "output_dir": "it is <output>/<name>; set output",
    "use_cpu": "it follows resources.gpus; set that to 0 to train on the CPU",
    "no_cuda": "it follows resources.gpus; set that to 0 to train on the CPU",
    "use_mps_device": "it follows the machine; remove it",
    "ddp_backend": "it follows resources.gpus: nccl with GPUs, else gloo; remove it",
    "resume_from_checkpoint": "the run resumes by itself from the newest valid checkpoint; remove it",
    "save_on_each_node": "one writer saves to the shared output; remove it",
    "overwrite_output_dir": "nothing is overwritten; use --fresh to move an old output aside",
    "local_rank": "the launcher sets it for each process; remove it",
    "enable_jit_checkpoint": "all ranks agree on a step and save when a pod is stopped; remove it",
    "log_on_each_node": "rank 0 alone logs; remove it",
    "parallelism_config": "it takes a Python object, which YAML cannot write; use a script",
    "do_train": "the job always trains; remove it",
    "do_eval": "evaluation follows eval_strategy; set that",
    "do_predict": "the job trains and evaluates only; remove it, or use a script",
    "hub_token": "a token must not stand in a job file; set env.HF_TOKEN to {secret: hf, key: token}",
    "push_to_hub_token": "a token must not stand in a job file; set env.HF_TOKEN to {secret: hf, key: token}",
    "push_to_hub": "upload <output>/<name>/model when the job is done; remove it",
    "auto_find_batch_size": "ranks could end up with different batches; set per_device_train_batch_size",
    "ignore_data_skip": "samples would be seen twice or never after a resume; remove it",
    "save_only_model": "the job could not go on from such a checkpoint; remove it",
    "xpu_backend": "it follows resources.gpus; remove it",
}
"""Arguments that Rallypoint sets, each with the reason and the way out."""
