"""The texts that ship with a job: the script, the files beside it, or the inline program.

Relative paths begin in the folder of the file that named them.
Refuses what lies outside that folder, what is no UTF-8 text, and more than fits a ConfigMap.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from rallypoint.loading import files
from rallypoint.loading.tree import Finding, Tree, child, dotted
from rallypoint.loading.tree import Path as KeyPath
from rallypoint.spec.rules.credentials import secret_in
from rallypoint.spec.script import INLINE

LARGEST_SCRIPTS = 240 * 1024
"""Bytes of all texts together.

Client-side `kubectl apply` fails for objects above 262,144 bytes (kubernetes issue 82292).
The launcher and the contract lie in the same ConfigMap; render checks the whole.
"""
_WAY_OUT = "put it into the image or on a volume, and name it with script.module or an absolute script.file"


def folder_of(file: str) -> Path:
    """Where relative paths in `file` begin; the current folder for stdin and --set."""
    return Path() if file in ("stdin", "--set") else Path(file).parent


def shipped(tree: Tree) -> tuple[dict[str, str], list[Finding]]:
    """The text of each shipped script by its path, and what is wrong with them."""
    script = child(tree, "script")
    if script is None or not isinstance(script.value, dict):
        return {}, []
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    for key, path, named in _named(script):
        if isinstance(named.value, str):
            found = _text(path, named, texts)
            if found:
                findings.append(Finding(named.place, dotted(key), found))
    return texts, findings or _size(script, texts)


def _named(script: Tree) -> list[tuple[KeyPath, str, Tree]]:
    """Key, path and value of everything that ships; in a map `files` the value is the text itself."""
    named: list[tuple[KeyPath, str, Tree]] = []
    more, file, inline = (child(script, key) for key in ("files", "file", "inline"))
    if more is not None and isinstance(more.value, dict):
        named += [(("script", "files", path), path, text) for path, text in more.value.items()]
    if file is not None and isinstance(file.value, str) and not file.value.startswith("/"):
        named.append((("script", "file"), "", file))
    if inline is not None and isinstance(inline.value, str):
        named.append((("script", "inline"), INLINE, inline))
    if more is not None and isinstance(more.value, list):
        named += [(("script", "files", index), "", item) for index, item in enumerate(more.value)]
    return named


def _text(path: str, named: Tree, texts: dict[str, str]) -> str:
    """Puts the text into `texts`; what is wrong with it, if anything."""
    written = path or named.value
    problem = _outside(written)
    if problem:
        return problem
    key = PurePosixPath(written).as_posix()
    if path:
        texts[key] = named.value
        return ""
    if key in texts:
        return ""
    folder = folder_of(named.place.file)
    try:
        if not (folder / key).resolve().is_relative_to(folder.resolve()):
            return f"leads out of the job file's folder (got {written!r}); copy it there"
        data = files.contents(folder / key, "file", LARGEST_SCRIPTS + 1)
        if len(data) > LARGEST_SCRIPTS:
            return (
                f"larger than 240 KiB, which is all that a ConfigMap can ship (got {written!r}); {_WAY_OUT}"
            )
        texts[key] = files.decoded(data, keep_mark=True)
        return _credential(texts[key])
    except files.Refused as refused:
        return f"{refused.text} (got {written!r}, in {folder.resolve()})"
    return ""


def _credential(text: str) -> str:
    """What is wrong with a program that holds a credential; empty when it holds none."""
    for number, line in enumerate(text.splitlines(), start=1):
        found = secret_in(line)
        if found:
            return f"holds {found[0]} (got '{found[1]}...', in line {number}); read it from env instead"
    return ""


def _outside(written: str) -> str:
    """Why the path cannot be a shipped file's; empty when it can."""
    path = PurePosixPath(written)
    if path.is_absolute() or ".." in path.parts:
        return f"must be a path below the job file's folder (got {written!r}); copy the file there"
    if path.as_posix() == "." or written.endswith("/"):
        return f"must name a file (got {written!r})"
    if ":" in written:
        return f"must be a path without ':', which no mount may have (got {written!r}); rename the file"
    return ""


def _size(script: Tree, texts: dict[str, str]) -> list[Finding]:
    """What is wrong with the texts' size together."""
    total = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts.values())
    if total <= LARGEST_SCRIPTS:
        return []
    key = next(key for key in ("inline", "file", "files") if child(script, key) is not None)
    place = (child(script, key) or script).place
    text = f"has {total // 1024} KiB, but a ConfigMap can ship 240 KiB; {_WAY_OUT}"
    return [Finding(place, f"script.{key}", text)]
