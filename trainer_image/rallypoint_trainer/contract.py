"""The contract as the trainer reads it: where the job runs and what `train` asks for.

Refuses a version that it does not know: an image may be older than the manifest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rallypoint.errors import InputError
from rallypoint.spec import ModelSpec, TrainSpec

VERSION = 1
"""The contract's version that this trainer understands."""


@dataclass(frozen=True)
class Contract:
    """What the generator wrote, as far as training needs it."""

    name: str
    nodes: int
    nproc_per_node: int
    gpus: int
    """Per node; 0 means a CPU job."""
    output: Path
    train: TrainSpec

    @property
    def world_size(self) -> int:
        """`nodes * nproc_per_node`, the processes that must meet."""
        return self.nodes * self.nproc_per_node

    @property
    def model(self) -> ModelSpec:
        """`train.model`, in its long form."""
        model = self.train.model
        return ModelSpec(pretrained_model_name_or_path=model) if isinstance(model, str) else model


def read_contract(path: Path) -> Contract:
    """The contract at `path`.

    Raises: InputError when it is missing, no JSON, of another version, or says something unknown.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"contract: no such file ('{path}'); start the trainer with its path") from error
    except ValueError as error:
        raise InputError(f"contract: '{path}' is no JSON ({error}); render the job again") from error
    return contract_from(document)


def contract_from(document: dict[str, Any]) -> Contract:
    """The contract in `document`.

    Raises: InputError as `read_contract` does.
    """
    if document.get("version") != VERSION:
        raise InputError(
            f"contract: version {document.get('version')!r}, this image's trainer knows {VERSION}; "
            "rebuild the image with the release that rendered the job"
        )
    if not document.get("train"):
        raise InputError(
            "contract: it has no 'train', so there is nothing to train; use the script's launcher"
        )
    if not document.get("output"):
        raise InputError(
            "contract: output: training needs a place to write to (null); set 'output' in the job"
        )
    try:
        train = TrainSpec.model_validate(document["train"])
    except ValidationError as error:
        raise InputError(_unknown(error)) from error
    return Contract(
        name=document["name"],
        nodes=document["nodes"],
        nproc_per_node=document["nproc_per_node"],
        gpus=document["gpus"],
        output=Path(document["output"]),
        train=train,
    )


def _unknown(error: ValidationError) -> str:
    """One line per thing in `train` that this trainer does not take."""
    lines = [
        f"contract: train.{'.'.join(map(str, one['loc']))}: {one['msg'].lower()} ({one['input']!r:.80}); "
        "rebuild the image if the job file is right"
        for one in error.errors()
    ]
    return "\n".join(lines)
