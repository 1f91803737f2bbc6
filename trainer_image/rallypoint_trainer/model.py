"""The model and its tokenizer, from a folder or the hub, ready for the task.

Refuses a place without weights; the head for the task's labels is the only part that may be new.
"""

from __future__ import annotations

from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from rallypoint.errors import InputError
from rallypoint.spec import ModelSpec
from rallypoint_trainer.folder import broken_file

WHERE = "train.model"
HUGE = 1_000_000
"""Tokenizers without a limit of their own say 1e30."""

UNREADABLE = (
    OSError, ValueError, KeyError, TypeError, AttributeError, ImportError, RuntimeError, EOFError,
    UnpicklingError, SafetensorError, StrictDataclassError,
)  # fmt: skip
"""What the libraries raise for files that are missing, broken or of another kind."""

MOSTLY = 0.5
"""A model of which more than this share of tensors is new has not been loaded, whatever the library says."""


def load_tokenizer(spec: ModelSpec) -> Any:
    """The model's tokenizer, with a pad token.

    Raises: InputError when the place has none.
    """
    _check_place(spec)
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            spec.pretrained_model_name_or_path,
            revision=spec.revision or "main",
            trust_remote_code=spec.trust_remote_code,
        )
    except UNREADABLE as error:
        raise InputError(_not_loaded(spec, "tokenizer", error)) from error
    if len(tokenizer) <= len(tokenizer.all_special_tokens):  # what is made of a folder without its files
        raise InputError(
            f"{WHERE}: the tokenizer of '{spec.pretrained_model_name_or_path}' has no words "
            f"({len(tokenizer)} tokens); put its tokenizer.json there, or give a model that has one"
        )
    if tokenizer.pad_token is None:
        if tokenizer.eos_token is not None:
            tokenizer.pad_token = tokenizer.eos_token
        else:
            tokenizer.add_special_tokens({"pad_token": "[PAD]"})
    return tokenizer


def load_config(spec: ModelSpec) -> Any:
    """The model's config, as it lies there.

    Raises: InputError when it cannot be read.
    """
    try:
        return AutoConfig.from_pretrained(
            spec.pretrained_model_name_or_path,
            revision=spec.revision or "main",
            trust_remote_code=spec.trust_remote_code,
        )
    except UNREADABLE as error:
        raise InputError(_not_loaded(spec, "config", error)) from error


def load_model(spec: ModelSpec, labels: list[str], tokenizer: Any) -> PreTrainedModel:
    """The model with a head for `labels`, float32 unless the spec says otherwise.

    float32, not the library's "auto": weights that were stored in 16 bits cannot be trained as such; bf16
    is autocast.

    Raises: InputError when weights or config cannot be had or do not fit each other.
    """
    try:
        model, loading = AutoModelForSequenceClassification.from_pretrained(
            spec.pretrained_model_name_or_path,
            revision=spec.revision or "main",
            trust_remote_code=spec.trust_remote_code,
            dtype=spec.dtype or "float32",
            num_labels=len(labels),
            id2label=dict(enumerate(labels)),
            label2id={name: number for number, name in enumerate(labels)},
            problem_type="single_label_classification",
            ignore_mismatched_sizes=True,  # a head for other labels is replaced; _check_loaded sees the rest
            output_loading_info=True,
            **({"attn_implementation": spec.attn_implementation} if spec.attn_implementation else {}),
        )
    except UNREADABLE as error:
        raise InputError(_not_loaded(spec, "model", error)) from error
    _check_loaded(model, loading, spec)
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(len(tokenizer))
    model.config.pad_token_id = tokenizer.pad_token_id
    # BERT-like heads take **kwargs but a plain mean loss; Trainer would count on a sum and inflate it
    # by the world.
    # Source: transformers#47688.
    model.accepts_loss_kwargs = False
    return model


def longest_sequence(tokenizer: Any, config: Any, asked: int | None) -> int:
    """Tokens per sample: what was asked for, within what tokenizer and model can take.

    Raises: InputError when more was asked for.
    """
    limits = [tokenizer.model_max_length, getattr(config, "max_position_embeddings", None)]
    known = [limit for limit in limits if limit and limit < HUGE]
    most = min(known) if known else 512
    if asked is not None and asked > most:
        raise InputError(
            f"train.dataset.max_seq_length: the model takes at most {most} tokens (got {asked}); lower it"
        )
    return asked or most


def _check_place(spec: ModelSpec) -> None:
    """Nothing, when the place may be a hub id or is a folder with a config and weights."""
    name = spec.pretrained_model_name_or_path
    folder = Path(name)
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise InputError(
                f"{WHERE}: the folder '{name}' has no config.json; give a model's folder or its hub id"
            )
        if not any(any(folder.glob(pattern)) for pattern in ("*.safetensors", "*.bin")):
            raise InputError(
                f"{WHERE}: the folder '{name}' has no weights (no *.safetensors, no *.bin); "
                "copy them there, or give a model that has some"
            )
    elif name.startswith(("/", "./", "../", "~")) or name.count("/") > 1:
        raise InputError(
            f"{WHERE}: no such folder ('{name}', looked in '{Path.cwd()}'); give a path that "
            "exists on every node, or a hub id"
        )


def _not_loaded(spec: ModelSpec, part: str, error: Exception) -> str:
    """What to say when the libraries cannot load `part`."""
    name = spec.pretrained_model_name_or_path
    reason = " ".join(str(error).split("\n\n")[0].split()).rstrip(".") or type(error).__name__
    if isinstance(error, KeyError):
        reason = f"no {reason}"
    if Path(name).is_dir():
        broken = broken_file(Path(name))
        if broken:
            return f"{WHERE}: {broken[0]}: cannot be read ({broken[1]}); copy the model's files there again"
        return (
            f"{WHERE}: the {part} in the folder '{name}' cannot be loaded ({reason}); check that its files "
            "are whole and of one model, which this version of transformers knows"
        )
    return (
        f"{WHERE}: the {part} cannot be loaded ('{name}': {reason}); "
        "check the name; without a network (HF_HUB_OFFLINE=1) it must be in the cache, or give a folder"
    )


def _check_loaded(model: PreTrainedModel, loading: Any, spec: ModelSpec) -> None:
    """Nothing, when the body of the model came from the place and only its head is new."""
    body = model.base_model_prefix + "."
    new = {key for key in loading["missing_keys"] if key.startswith(body)}
    new |= {mismatch[0] for mismatch in loading["mismatched_keys"] if mismatch[0].startswith(body)}
    total = sum(1 for name, _ in model.named_parameters() if name.startswith(body))
    if total and len(new) > MOSTLY * total:
        raise InputError(
            f"{WHERE}: the weights in '{spec.pretrained_model_name_or_path}' are not of this model "
            f"({len(new)} of {total} tensors do not fit, such as '{min(new)}'); give weights "
            "that match its config.json"
        )
