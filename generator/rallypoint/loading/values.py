"""The layered document as `rallypoint values` prints it: one file that stands for all."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from rallypoint.loading.load import Loaded
from rallypoint.loading.tree import Path
from rallypoint.spec.fields import means_text
from rallypoint.spec.script import INLINE
from rallypoint.spec.written import spelling


def values(loaded: Loaded) -> dict[str, Any]:
    """The layered values in plain types, with the text of every shipped script in `script.files`."""
    document: dict[str, Any] = _plain(loaded.document, ())
    script = document.get("script") or {}
    file = script.get("file") or ""
    spelled = {PurePosixPath(file).as_posix(): file}  # the same key in both places: helm compares them
    texts = {
        spelled.get(path, path): text
        for path, text in loaded.scripts.items()
        if path != INLINE or not script.get("inline")
    }
    if texts:
        document["script"] = {**document["script"], "files": texts}
    return document


def _plain(value: Any, path: Path) -> Any:
    """`value` with text where the spec means text, and with numbers that any printer knows."""
    if isinstance(value, dict):
        return {key: _plain(inner, (*path, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, (*path, index)) for index, inner in enumerate(value)]
    if not isinstance(value, bool | int | float):
        return value
    if means_text(path):
        return spelling(value)
    if isinstance(value, bool):
        return value
    return int(value) if isinstance(value, int) else float(value)
