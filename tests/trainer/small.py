"""A tiny BERT of our own and small data that can be learnt."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

WORDS = [
    "the", "a", "cat", "dog", "sat", "ran", "on", "in", "under", "mat", "house", "tree", "red", "blue", "old",
    "new", "and", "not", "very", "it", "was", "is",
]  # fmt: skip
SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}


def rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """`count` pairs of uneven length; the label says whether the first speaks of an animal."""
    source = random.Random(seed)
    result = []
    for _ in range(count):
        first, second = (" ".join(source.choices(WORDS, k=source.randint(2, 20))) for _ in range(2))
        label = int("cat" in first.split() or "dog" in first.split())
        result.append({"sentence1": first, "sentence2": second, "label": label})
    return result


def write_jsonl(path: Path, lines: list[Any]) -> Path:
    """`path`, with one JSON object per line."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def make_tokenizer(folder: Path, special: dict[str, str] = SPECIAL) -> int:
    """A WordPiece tokenizer in `folder`; returns the number of its words."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate([*SPECIAL.values(), *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(word, vocabulary[word]) for word in ("[CLS]", "[SEP]")],
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **special)
    fast.save_pretrained(folder)
    return len(vocabulary)


def make_model(folder: Path, dropout: float = 0.0, special: dict[str, str] = SPECIAL) -> Path:
    """A folder with a random two-layer BERT and its tokenizer."""
    import torch
    from transformers import BertConfig, BertModel

    words = make_tokenizer(folder, special)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=words,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    BertModel(config).save_pretrained(folder)
    return folder
