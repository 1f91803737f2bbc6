"""What is wrong with a local model's folder: the file, which the libraries' errors seldom name.

Looked for only after loading has failed.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from safetensors import SafetensorError, safe_open

OBJECTS = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
"""Files that must hold a JSON object; others may hold anything."""


def broken_file(folder: Path) -> tuple[Path, str] | None:
    """The first file of a known kind in `folder` that cannot be read, with the reason."""
    for path in sorted(folder.iterdir()):
        reason = _fault(path) if path.is_file() else None
        if reason:
            return path, reason
    return None


def _fault(path: Path) -> str | None:
    """Why `path` cannot be read; None when it can, or is of another kind."""
    try:
        if path.suffix == ".json":
            found = json.loads(path.read_text(encoding="utf-8"))
            if path.name in OBJECTS and not isinstance(found, dict):
                return "holds no JSON object"
        elif path.suffix == ".safetensors":
            with path.open("rb"):
                pass  # safetensors says "no such file" where it may not read one
            with safe_open(path, framework="pt"):
                pass
        elif path.suffix == ".bin" and not zipfile.is_zipfile(path) and path.stat().st_size == 0:
            return "empty"
    except (OSError, ValueError, SafetensorError) as error:
        return (str(error).strip() or type(error).__name__).splitlines()[0]
    return None
