"""`train`: what the built-in trainer is asked to do, in the words of the Hugging Face libraries.

Refuses keys of our own for what the libraries name: those below `dataset` are from `load_dataset` and
the example scripts, those below `model` from `from_pretrained`,
those below `training_args` from `TrainingArguments`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag

from rallypoint.spec.base import Model, Patch, by_shape

Files = Annotated[
    Annotated[list[str], Tag("<list>")] | Annotated[str, Tag("<text>")], by_shape("<text>", "<list>")
]
DataFiles = Annotated[
    Annotated[dict[str, Files], Tag("<map>")]
    | Annotated[list[str], Tag("<list>")]
    | Annotated[str, Tag("<text>")],
    by_shape("<map>", "<list>"),
]


class DatasetSpec(Model):
    """Where the samples come from; `load_dataset`'s arguments and which columns to read."""

    path: str | None = None
    """A data set on the hub, or a builder: json, csv, parquet. Left out: what data_files' names say."""
    name: str | None = None
    """The configuration of the data set, as `mrpc` in `nyu-mll/glue`."""
    data_dir: str | None = None
    """Folder of the data files, for data sets that ask for one."""
    data_files: DataFiles | None = None
    """Files by split, `{train: train.jsonl, validation: val.jsonl}`; json, jsonl, csv or parquet."""
    revision: str | None = None
    """Branch, tag or commit of a data set on the hub."""
    train_split_name: str = "train"
    """The split to train on."""
    validation_split_name: str = "validation"
    """The split to evaluate on; absent from the data set, there is no evaluation."""
    text_column_names: list[str] | None = Field(None, min_length=1, max_length=2)
    """One or two columns of text. Left out: the well-known names, such as sentence1 and sentence2."""
    label_column_name: str | None = None
    """The column of labels. Left out: `label` or `labels`."""
    max_train_samples: int | None = Field(None, ge=1)
    """Train on the first N samples only."""
    max_eval_samples: int | None = Field(None, ge=1)
    """Evaluate on the first N samples only."""
    max_seq_length: int | None = Field(None, ge=2)
    """Longer sequences are cut to this many tokens. Left out: what the model can take."""


class ModelSpec(Model):
    """Which model, and how `from_pretrained` loads it."""

    pretrained_model_name_or_path: str = Field(min_length=1)
    """A model on the hub, or a folder with its files."""
    revision: str | None = None
    """Branch, tag or commit on the hub."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] | None = None
    """The weights' type. Left out: float32."""
    attn_implementation: str | None = None
    """`eager`, `sdpa`, `flash_attention_2`, ... Left out: the model's own choice."""
    trust_remote_code: bool = False
    """Run code that comes with the model. Only for code that you have read."""


class TrainSpec(Model):
    """One fine-tuning run of the built-in trainer."""

    task: Literal["text-classification"]
    """What is learnt; one sentence or a pair to one label."""
    model: Annotated[
        Annotated[ModelSpec, Tag("<pretrained_model_name_or_path>")]
        | Annotated[str, Field(min_length=1), Tag("<text>")],
        by_shape("<pretrained_model_name_or_path>"),
    ]
    """A model's name on the hub or folder, or more about it."""
    dataset: DatasetSpec
    """Where the samples come from."""
    metrics: list[Literal["accuracy", "f1"]] = Field(["accuracy", "f1"], min_length=1)
    """What evaluation computes; f1 is binary for two labels, else macro."""
    training_args: Patch = {}
    """Arguments of transformers.TrainingArguments; checked against the pinned version's list."""
