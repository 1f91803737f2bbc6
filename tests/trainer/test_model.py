"""Models that can be trained are loaded; for all else the place and the way out are named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from rallypoint.errors import InputError
from rallypoint.spec import ModelSpec
from rallypoint_trainer.folder import broken_file
from rallypoint_trainer.model import load_config, load_model, load_tokenizer, longest_sequence
from trainer.small import make_model


@pytest.fixture
def folder(tmp_path, tiny_model):
    return shutil.copytree(tiny_model, tmp_path / "model")


def load(place, labels=("0", "1")):
    spec = ModelSpec(pretrained_model_name_or_path=str(place))
    tokenizer = load_tokenizer(spec)
    return load_model(spec, list(labels), tokenizer), tokenizer


def refusal(place) -> str:
    with pytest.raises(InputError) as caught:
        load(place)
    return str(caught.value)


def test_the_head_fits_the_labels(folder):
    model, _ = load(folder, ["bad", "good", "so so"])
    assert (model.config.num_labels, model.config.id2label[2]) == (3, "so so")


def test_weights_are_float32_whatever_they_are_stored_as(folder):
    weights = {name: tensor.bfloat16() for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "dtype": "bfloat16"}))
    assert load(folder)[0].dtype == torch.float32


def test_a_head_for_other_labels_is_replaced(folder, tmp_path):
    model, tokenizer = load(folder, ["a", "b", "c"])
    model.save_pretrained(tmp_path / "three")
    tokenizer.save_pretrained(tmp_path / "three")
    assert load(tmp_path / "three")[0].classifier.out_features == 2


def test_a_missing_pad_token_is_set_on_tokenizer_and_model(tmp_path):
    special = {"unk_token": "[UNK]", "eos_token": "[SEP]"}
    model, tokenizer = load(make_model(tmp_path / "gpt", special=special))
    assert (tokenizer.pad_token, model.config.pad_token_id) == ("[SEP]", tokenizer.eos_token_id)


def test_without_any_candidate_a_pad_token_is_added(tmp_path):
    model, tokenizer = load(make_model(tmp_path / "bare", special={"unk_token": "[UNK]"}))
    assert (tokenizer.pad_token, model.config.pad_token_id) == ("[PAD]", tokenizer.pad_token_id)


def test_the_loss_is_not_taken_for_a_sum(folder):
    assert load(folder)[0].accepts_loss_kwargs is False


def test_a_folder_without_weights_is_named(folder):
    (folder / "model.safetensors").unlink()
    assert f"train.model: the folder '{folder}' has no weights" in refusal(folder)


def test_a_folder_without_a_config_is_named(folder):
    (folder / "config.json").unlink()
    assert f"the folder '{folder}' has no config.json" in refusal(folder)


def test_a_folder_without_a_tokenizer_is_named(folder):
    for path in folder.glob("tokenizer*"):
        path.unlink()
    assert f"the tokenizer of '{folder}' has no words" in refusal(folder)


@pytest.mark.parametrize("harm", [lambda data: data[:1000], lambda data: b""], ids=["truncated", "empty"])
def test_broken_weights_are_named(folder, harm):
    path = folder / "model.safetensors"
    path.write_bytes(harm(path.read_bytes()))
    assert f"train.model: {path}: cannot be read (" in refusal(folder)


def test_weights_that_may_not_be_read_are_told_as_such(folder, monkeypatch):
    opened = Path.open

    def refuse(path, *mode, **more):
        if path.suffix == ".safetensors":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *mode, **more)

    monkeypatch.setattr(Path, "open", refuse)  # to root every file is open
    path, reason = broken_file(folder)
    assert path.name == "model.safetensors"
    assert "Permission denied" in reason


@pytest.mark.parametrize("data", [b"{", b"[1]", b"\xff\xfe"], ids=["cut", "list", "bytes"])
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json"])
def test_a_broken_file_in_the_folder_is_named(folder, name, data):
    (folder / name).write_bytes(data)
    assert f"train.model: {folder / name}: cannot be read (" in refusal(folder)


@pytest.mark.parametrize("change", [{"hidden_size": "x"}, {"model_type": "bertx"}], ids=str)
def test_a_config_that_makes_no_model_is_told_of_the_folder(folder, change):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **change}))
    text = refusal(folder)
    assert (
        f"in the folder '{folder}' cannot be loaded ({'Validation' if 'hidden_size' in change else 'The'}"
        in text
    )
    assert "network" not in text


def test_weights_of_another_model_are_refused(folder):
    save_file({"other.weight": torch.zeros(3)}, folder / "model.safetensors", metadata={"format": "pt"})
    assert "are not of this model" in refusal(folder)


def test_a_path_that_is_not_there_is_named():
    assert "no such folder ('/nowhere/bert'" in refusal("/nowhere/bert")


def test_the_hub_without_a_network_says_so():
    text = refusal("nobody/bert")
    assert "('nobody/bert': " in text
    assert "HF_HUB_OFFLINE=1" in text


def test_the_longest_sequence_is_what_model_and_tokenizer_take(folder):
    spec = ModelSpec(pretrained_model_name_or_path=str(folder))
    assert longest_sequence(load_tokenizer(spec), load_config(spec), None) == 64


def test_a_longer_sequence_than_the_model_takes_is_refused(folder):
    spec = ModelSpec(pretrained_model_name_or_path=str(folder))
    with pytest.raises(InputError, match=r"at most 64 tokens \(got 100\)"):
        longest_sequence(load_tokenizer(spec), load_config(spec), 100)
