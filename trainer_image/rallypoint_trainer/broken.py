"""Where a data file is broken: the file and the line, which the libraries' errors do not say.

Looked for only after `load_dataset` has failed, so sound data costs nothing.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from pyarrow import ArrowException, parquet

WHERE = "train.dataset.data_files"
PACKINGS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
"""What can be looked into; a .zst cannot."""


def broken_place(files: list[str], builder: str, error: BaseException) -> str:
    """The message for data that could not be read: `file:line` when it can be found, else the "
    "library's reason.
    """
    for file in files:
        found = _in_file(file, builder)
        if found:
            line, reason = found
            place = f"{file}:{line}" if line else file
            return f"{WHERE}: {place}: {reason}; mend the file"
    cause = error.__cause__ or error
    names = ", ".join(files) or builder
    way = "check that all rows have the same columns with values of one type"
    if isinstance(cause, UnicodeDecodeError):
        way = "save it as UTF-8"
    return f"{WHERE}: cannot be read ({names}: {_first_line(cause)}); {way}"


def _first_line(error: BaseException) -> str:
    """The first line of what `error` says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _in_file(file: str, builder: str) -> tuple[int, str] | None:
    """Line and reason of the first thing wrong in `file`; line 0 when it has none."""
    if builder == "parquet":
        return _in_parquet(file)
    if builder not in ("json", "csv") or file.endswith(".zst"):
        return None
    opened: Callable[..., Any] = PACKINGS.get(Path(file).suffix, open)
    try:
        with opened(file, "rb") as data:
            found = _in_bytes(cast(BinaryIO, data))
        if found:
            return found
        with opened(file, "rt", encoding="utf-8", newline="") as opened_text:
            text = cast(TextIO, opened_text)
            if builder == "json":
                return _in_json(text)
            return _in_csv(text, "\t" if ".tsv" in Path(file).suffixes else ",")
    except (OSError, EOFError, csv.Error, lzma.LZMAError, zlib.error) as error:
        return 1, str(error)


def _in_parquet(file: str) -> tuple[int, str] | None:
    """Why `file` is no whole Parquet file."""
    try:
        with parquet.ParquetFile(file) as opened:
            for group in range(opened.num_row_groups):
                opened.read_row_group(group)
    except (ArrowException, OSError) as error:
        return 0, f"no whole Parquet file ({_first_line(error).rstrip('.')})"
    return None


def _in_bytes(data: BinaryIO) -> tuple[int, str] | None:
    """The first line that is not UTF-8."""
    for number, line in enumerate(data, start=1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return number, f"no UTF-8 (byte {line[error.start]:#04x})"
    return None


def _in_json(text: TextIO) -> tuple[int, str] | None:
    """The first line that is no JSON object, or that has another type in a column than the lines before."""
    types: dict[str, Any] = {}
    for number, line in enumerate(text, start=1):
        if number == 1 and line.lstrip().startswith("["):
            return None  # one array over many lines: the library's own reason must do
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            return number, f"no valid JSON ({error})"
        if not isinstance(row, dict):
            return number, f"no JSON object ({line.strip()[:40]})"
        for key, value in row.items():
            known = types.setdefault(key, _kind(value))
            if known != _kind(value) and None not in (known, _kind(value)):
                return number, f"'{key}' is {_kind(value)} here and {known} before ({str(value)[:40]!r})"
            types[key] = known or _kind(value)
    return None if types else (1, "no rows")


def _kind(value: Any) -> str | None:
    """The JSON type of `value`; None for null, which fits any."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true or false"
    for kind, name in ((int | float, "a number"), (str, "text"), (list, "a list"), (dict, "an object")):
        if isinstance(value, kind):
            return name
    return type(value).__name__


def _in_csv(text: TextIO, delimiter: str) -> tuple[int, str] | None:
    """The first line whose number of fields is not the header's."""
    reader = csv.reader(text, delimiter=delimiter)
    header = next(reader, None)
    if header is None:
        return 1, "no header"
    for row in reader:
        if row and len(row) != len(header):
            return reader.line_num, f"{len(row)} fields, the header has {len(header)}"
    return None if reader.line_num > 1 else (1, "no rows after the header")
