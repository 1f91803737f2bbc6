"""Data that can be read is read; for all else the file, the line or the column is named."""

from __future__ import annotations

import bz2
import gzip
import lzma

import datasets
import pytest

from rallypoint.errors import InputError
from rallypoint.spec import DatasetSpec
from rallypoint_trainer.columns import choose_columns
from rallypoint_trainer.dataset import load_rows
from rallypoint_trainer.labels import find_labels
from trainer.small import rows, write_jsonl


def load(**spec):
    return load_rows(DatasetSpec(**spec))


def refusal(**spec) -> str:
    with pytest.raises(InputError) as caught:
        load(**spec)
    return str(caught.value)


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv", "parquet", "jsonl.gz"])
def test_each_format_is_known_by_its_ending(tmp_path, ending):
    path = tmp_path / f"train.{ending}"
    lines = rows(20)
    made = datasets.Dataset.from_list(lines)
    if ending == "parquet":
        made.to_parquet(path)
    elif ending.endswith("sv"):
        made.to_csv(path, sep="\t" if ending == "tsv" else ",")
    elif ending == "jsonl.gz":
        text = write_jsonl(tmp_path / "plain.jsonl", lines).read_bytes()
        path.write_bytes(gzip.compress(text))
    else:
        write_jsonl(path, lines)
    train, validation = load(data_files={"train": str(path)})
    assert (train.to_list(), validation) == (lines, None)


def test_a_pattern_names_several_files(tmp_path):
    for number in range(3):
        write_jsonl(tmp_path / f"part-{number}.jsonl", rows(5, seed=number))
    assert len(load(data_files=str(tmp_path / "part-*.jsonl"))[0]) == 15


def test_splits_can_have_other_names(tmp_path):
    files = {name: str(write_jsonl(tmp_path / f"{name}.jsonl", rows(5))) for name in ("learn", "check")}
    train, validation = load(data_files=files, train_split_name="learn", validation_split_name="check")
    assert (len(train), len(validation)) == (5, 5)


def test_samples_can_be_limited(tmp_path):
    files = {name: str(write_jsonl(tmp_path / f"{name}.jsonl", rows(9))) for name in ("train", "validation")}
    train, validation = load(data_files=files, max_train_samples=4, max_eval_samples=100)
    assert (len(train), len(validation)) == (4, 9)


def test_a_missing_file_is_named():
    assert "data_files.train: no such file ('/x/y.jsonl'" in refusal(data_files="/x/y.jsonl")


def test_an_empty_file_is_named(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text("")
    assert f"the file is empty ('{path}')" in refusal(data_files=str(path))


def test_a_file_without_rows_is_named(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("text,label\n")
    assert f"{path}:1: no rows after the header" in refusal(data_files=str(path))


def test_a_broken_line_of_json_is_named(tmp_path):
    path = write_jsonl(tmp_path / "train.jsonl", rows(30))
    lines = path.read_text().splitlines()
    lines[16] = lines[16][:40]
    path.write_text("\n".join(lines))
    assert f"{path}:17: no valid JSON" in refusal(data_files=str(path))


def test_a_label_of_another_kind_is_named(tmp_path):
    lines = rows(30)
    lines[16]["label"] = "one"
    train, _ = load(data_files=str(write_jsonl(tmp_path / "train.jsonl", lines)))
    with pytest.raises(InputError, match="'label' mixes numbers and text: train row 17 is 'one', row 16 is"):
        find_labels(train, "label")


def test_a_line_of_csv_with_too_many_fields_is_named(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("text,label\n" + "a cat,1\n" * 15 + "a, cat, ran,1\n" + "a dog,0\n")
    assert f"{path}:17: 4 fields, the header has 2" in refusal(data_files=str(path))


def test_a_broken_parquet_file_is_named(tmp_path):
    path = tmp_path / "train.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    assert f"{path}: no whole Parquet file (" in refusal(data_files=str(path))


def test_a_truncated_parquet_file_is_named(tmp_path):
    path = tmp_path / "train.parquet"
    datasets.Dataset.from_list(rows(300)).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-200])
    assert f"{path}: no whole Parquet file (" in refusal(data_files=str(path))


def test_a_folder_in_place_of_a_file_is_called_one(tmp_path):
    write_jsonl(tmp_path / "train.jsonl", rows(3))
    text = refusal(path="json", data_files=str(tmp_path))
    assert f"data_files.train: a folder ('{tmp_path}'), not a file; name the files in it" in text


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    path = write_jsonl(tmp_path / "train.jsonl", rows(30))
    path.write_bytes(path.read_bytes()[:-30] + b"\xff\xfe" + path.read_bytes()[-30:])
    assert f"{path}:30" in refusal(data_files=str(path))


@pytest.mark.parametrize("pack", [gzip, bz2, lzma], ids=["gz", "bz2", "xz"])
def test_a_packed_file_that_is_not_utf_8_is_named(tmp_path, pack):
    path = tmp_path / f"d.csv.{pack.__name__.replace('gzip', 'gz').replace('lzma', 'xz')}"
    path.write_bytes(pack.compress(b"text,label\nfine,0\ncaf\xe9,1\n"))
    assert f"{path}:3: no UTF-8 (byte 0xe9)" in refusal(data_files=str(path))


def test_an_unknown_ending_asks_for_the_format():
    assert "cannot tell the format from the names (.xyz)" in refusal(data_files="a.xyz")


def test_neither_path_nor_files_is_refused():
    assert "neither path nor data_files" in refusal()


def test_a_missing_split_lists_those_there_are(tmp_path):
    path = write_jsonl(tmp_path / "train.jsonl", rows(5))
    text = refusal(data_files={"train": str(path)}, validation_split_name="dev")
    assert "validation_split_name: the data set has no split 'dev' (it has train)" in text


def test_the_hub_without_a_network_says_so():
    assert "train.dataset: cannot be loaded (path: nobody/nothing" in refusal(path="nobody/nothing")


@pytest.mark.parametrize(
    ("present", "texts"),
    [
        (["label", "sentence1", "sentence2", "idx"], ["sentence1", "sentence2"]),
        (["premise", "hypothesis", "label"], ["premise", "hypothesis"]),
        (["question", "sentence", "label"], ["question", "sentence"]),
        (["text", "label"], ["text"]),
        (["sentence", "label"], ["sentence"]),
    ],
)
def test_well_known_columns_are_found(present, texts):
    assert choose_columns(DatasetSpec(), present).texts == texts


def test_a_missing_label_column_lists_the_columns():
    with pytest.raises(InputError, match=r"no column 'target' \(columns: text, label\)"):
        choose_columns(DatasetSpec(label_column_name="target"), ["text", "label"])


def test_unknown_text_columns_list_the_columns():
    with pytest.raises(InputError, match=r"no well-known column of text \(columns: body, label\)"):
        choose_columns(DatasetSpec(), ["body", "label"])


def labels_of(values, **features):
    return find_labels(datasets.Dataset.from_dict({"label": values}, **features), "label")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([1, 0, 1], ["0", "1"]),
        ([5, -1, 3], ["-1", "3", "5"]),
        (["no", "yes", "maybe"], ["maybe", "no", "yes"]),
        ([1.0, 0.0], ["0", "1"]),
        ([True, False], ["False", "True"]),
    ],
)
def test_labels_are_the_distinct_values_in_order(values, names):
    assert labels_of(values).names == names


def test_a_class_label_brings_its_own_names():
    features = datasets.Features({"label": datasets.ClassLabel(names=["entailment", "neutral"])})
    assert labels_of([0, 0], features=features).names == ["entailment", "neutral"]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, 1, 1], "only one value in train (1)"),
        ([1, None, 0], "'label' of train row 2 is missing"),
        ([0.5, 1.0], "'label' of train row 1 is 0.5, neither a whole number nor text"),
        ([[1], [0]], "holds lists"),
    ],
)
def test_labels_that_cannot_be_learnt_are_refused(values, text):
    with pytest.raises(InputError) as caught:
        labels_of(values)
    assert text in str(caught.value)


def test_a_label_that_only_validation_has_is_named():
    with pytest.raises(InputError, match="'label' of validation row 5 is 'maybe', which train does not have"):
        labels_of(["no", "yes"]).number("maybe", "label", "validation", 5)
