"""The rows to train and to evaluate on, as `load_dataset` gives them.

Refuses to leave a user alone with a traceback of the libraries: a file that is missing, broken or empty is
named.
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

import datasets

from rallypoint.errors import InputError
from rallypoint.spec import DatasetSpec
from rallypoint_trainer.broken import broken_place

BUILDERS = {
    ".json": "json", ".jsonl": "json", ".ndjson": "json", ".csv": "csv", ".tsv": "csv", ".parquet": "parquet",
}  # fmt: skip
PACKED = (".gz", ".bz2", ".xz", ".zst")
WHERE = "train.dataset"


def load_rows(spec: DatasetSpec) -> tuple[datasets.Dataset, datasets.Dataset | None]:
    """Rows of the training split, and of the validation split if the data set has one.

    Raises: InputError for anything wrong with the place, the files or the splits.
    """
    splits = _load(spec)
    train = _split(splits, spec.train_split_name, "train_split_name")
    validation = None
    if spec.validation_split_name in splits or "validation_split_name" in spec.model_fields_set:
        validation = _split(splits, spec.validation_split_name, "validation_split_name")
    return _first(train, spec.max_train_samples), _first(validation, spec.max_eval_samples)


def builder(files: list[str]) -> str:
    """The builder that reads all of `files`, from their names.

    Raises: InputError when the names say nothing or several things.
    """
    endings = {_ending(file) for file in files}
    builders = {BUILDERS.get(ending, "") for ending in endings}
    if len(builders) != 1 or "" in builders:
        raise InputError(
            f"{WHERE}.data_files: cannot tell the format from the names "
            f"({', '.join(sorted(endings)) or 'none'}); "
            f"use one of {', '.join(BUILDERS)} for all of them, or say path: json, csv or parquet"
        )
    return builders.pop()


def file_names(data_files: str | list[str] | dict[str, str | list[str]]) -> dict[str, list[str]]:
    """The names in `data_files` by split; without splits, all of them are for train."""
    by_split = data_files if isinstance(data_files, dict) else {"train": data_files}
    return {split: [names] if isinstance(names, str) else list(names) for split, names in by_split.items()}


def _load(spec: DatasetSpec) -> Any:
    """All splits of the data set, by name."""
    arguments: dict[str, Any] = {"name": spec.name, "data_dir": spec.data_dir, "revision": spec.revision}
    path, files = spec.path, []
    if spec.data_files is not None:
        by_split = file_names(spec.data_files)
        files = [name for names in by_split.values() for name in names]
        path = path or builder(files)
        if path in BUILDERS.values():
            _check_files(by_split)
            if path == "csv" and {_ending(file) for file in files} == {".tsv"}:
                arguments["delimiter"] = "\t"
        arguments["data_files"] = by_split
    if path is None:
        raise InputError(
            f"{WHERE}: neither path nor data_files is given; say path: <data set on the hub> or "
            "data_files: <files>"
        )
    try:
        return datasets.load_dataset(
            path, **{key: value for key, value in arguments.items() if value is not None}
        )
    except (OSError, ValueError, datasets.exceptions.DatasetsError, EOFError) as error:
        local = path in BUILDERS.values() or isinstance(error, datasets.exceptions.DatasetGenerationError)
        text = broken_place(_expanded(files), path, error) if local else _not_loaded(path, spec, error)
        raise InputError(text) from error


def undecodable(spec: DatasetSpec, error: UnicodeDecodeError) -> str:
    """The message for a text that is no UTF-8.

    `load_dataset` takes other bytes in JSON unseen; they show only when a row is read.
    """
    files = [name for names in file_names(spec.data_files or {}).values() for name in names]
    if not files:
        return (
            f"{WHERE}: a text is no UTF-8 ({spec.path}: byte {error.object[error.start]:#04x} in "
            f"{error.object[:40]!r}); take a data set that is"
        )
    return broken_place(_expanded(files), spec.path or builder(files), error)


def _not_loaded(path: str, spec: DatasetSpec, error: Exception) -> str:
    """What to say when `load_dataset` could not even start."""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    name = f", name: {spec.name}" if spec.name else ""
    return (
        f"{WHERE}: cannot be loaded (path: {path}{name}: {reason}); check path, name and "
        "revision; without a network "
        "(HF_HUB_OFFLINE=1) it must be in the cache, or name local data_files"
    )


def _check_files(by_split: dict[str, list[str]]) -> None:
    """Nothing, when every local file is there and holds something."""
    for split, names in by_split.items():
        for name in names:
            if "://" in name:
                continue
            found = _expanded([name])
            if Path(name).is_dir():
                raise InputError(
                    f"{WHERE}.data_files.{split}: a folder ('{name}'), not a file; name the files in it, "
                    f"as in {name.rstrip('/')}/*.jsonl"
                )
            if not found:
                raise InputError(
                    f"{WHERE}.data_files.{split}: no such file ('{name}', looked in '{Path.cwd()}'); "
                    "give a path that exists on every node"
                )
            for file in found:
                if Path(file).stat().st_size == 0:
                    raise InputError(
                        f"{WHERE}.data_files.{split}: the file is empty ('{file}'); give one with rows"
                    )


def _expanded(names: list[str]) -> list[str]:
    """Local files behind `names`, patterns resolved."""
    # not Path.glob: names may be absolute
    found = (file for name in names for file in sorted(glob.glob(name, recursive=True)))  # noqa: PTH207
    return [file for file in found if Path(file).is_file()]


def _ending(file: str) -> str:
    """The file's ending that says the format, `.jsonl` for `a.jsonl.gz`."""
    path = Path(file.split("?", maxsplit=1)[0])
    return path.with_suffix("").suffix if path.suffix in PACKED else path.suffix


def _split(splits: Any, name: str, key: str) -> datasets.Dataset:
    """The split `name` of the data set, with at least one row."""
    if name not in splits:
        raise InputError(
            f"{WHERE}.{key}: the data set has no split '{name}' (it has {', '.join(splits)}); "
            f"set {key} to one of them"
        )
    if len(splits[name]) == 0:
        raise InputError(f"{WHERE}: the split '{name}' has no rows (0); give data with at least one sample")
    return splits[name]


def _first(rows: datasets.Dataset | None, count: int | None) -> Any:
    """The first `count` rows; all of them when there is no limit."""
    return rows if rows is None or count is None else rows.select(range(min(count, len(rows))))
