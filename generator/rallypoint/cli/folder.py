"""`render -o DIR`: one file per object, without disturbing what else lies there."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from rallypoint.errors import InputError

MARK = "# rendered by rallypoint; job "
"""The first words of each file's first line: how a later render knows what it may replace."""
_APPLIED = {".yaml", ".yml", ".json"}
"""What `kubectl apply -f DIR` picks up."""
_KUSTOMIZATION = {"kustomization.yaml", "kustomization.yml"}


def write_objects(folder: str, job: str, objects: list[dict[str, Any]]) -> int:
    """The number of files written; each is complete or absent, and those of an earlier render are replaced.

    Raises: InputError when other manifests lie there: applied together they would be mixed.
    """
    from rallypoint.render import to_yaml

    mark = f"{MARK}{job}\n"
    width = len(str(len(objects) - 1))
    texts = {
        f"{number:0{width}}-{_name(part, job)}.yaml": mark + to_yaml([part])
        for number, part in enumerate(objects)
    }
    if not folder:
        raise InputError("--output: is empty (got ''); name a folder, yaml or json")
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        earlier = _earlier(path, mark)
        _replace(path, texts)
        for stale in earlier - set(texts):
            (path / stale).unlink()
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{folder}: is a file; name a folder") from error
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror}); name another folder") from error
    return len(texts)


def _name(part: dict[str, Any], job: str) -> str:
    """`service-mrpc-rdzv`, after a number that keeps the apply order, since kubectl goes by name.

    Without the digest of what pods read, so that another run has the files that a kustomization names.
    """
    kind, name = part["kind"].lower(), part["metadata"]["name"]
    read_by_pods = kind == "configmap" and name.startswith(f"{job}-files-")
    return f"{kind}-{job}-files" if read_by_pods else f"{kind}-{name}"


def _earlier(folder: Path, mark: str) -> set[str]:
    """Names of the manifests that an earlier render of this job wrote there."""
    found = {
        path.name
        for path in folder.iterdir()
        if path.suffix in _APPLIED and not path.name.startswith(".") and path.name not in _KUSTOMIZATION
    }
    foreign = sorted(name for name in found if not _starts_with(folder / name, mark))
    if foreign:
        others = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise InputError(
            f"{folder}: holds manifests of another origin ({foreign[0]!r}{others}); name another folder"
        )
    return found


def _starts_with(file: Path, mark: str) -> bool:
    """Whether the first bytes of `file` are `mark`."""
    with file.open("rb") as content:
        return content.read(len(mark.encode())) == mark.encode()


def _replace(folder: Path, texts: dict[str, str]) -> None:
    """Write all texts aside in `folder` first, then rename each: a full disk leaves the old ones."""
    with tempfile.TemporaryDirectory(prefix=".rallypoint-", dir=folder) as aside:
        for name, text in texts.items():
            (Path(aside) / name).write_text(text, encoding="utf-8")
        for name in texts:
            (Path(aside) / name).replace(folder / name)
