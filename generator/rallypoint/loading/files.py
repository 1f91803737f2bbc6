"""Job files as text: found, bounded in size, UTF-8.

Refuses to parse.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from rallypoint.loading.tree import Place

STDIN = "-"
LARGEST_FILE = 1024 * 1024
"""Bytes of a job file; all that ships must fit an object of 240 KiB, the rest can be comments."""


class Refused(Exception):
    """The file cannot be read; the text says why and what to do, `place` where."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.line = line


def job_file(file: str, stdin: TextIO | None) -> str:
    """The file's text without a byte order mark; `-` reads stdin.

    Raises: Refused with the reason.
    """
    if file == STDIN:
        stream = stdin if stdin is not None else sys.stdin
        if stream is None:
            raise Refused("standard input is closed; name a job file, or pipe one in")
        data = _everything(stream)
    else:
        data = contents(Path(file), "job file", LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise Refused(
            "larger than 1 MiB, which no job file is (what it ships must fit a ConfigMap of 240 KiB); "
            "give a job file; a large program belongs into the image, named with script.file or script.module"
        )
    return decoded(data)


def _everything(stream: TextIO) -> bytes:
    """The stream's bytes, whatever encoding the locale gave it."""
    if hasattr(stream, "buffer"):
        return bytes(stream.buffer.read(LARGEST_FILE + 1))
    return stream.read(LARGEST_FILE + 1).encode("utf-8", "surrogatepass")


def contents(path: Path, what: str, at_most: int) -> bytes:
    """The file's first `at_most` bytes.

    Takes pipes too, as in `-f <(sops -d job.yaml)`.

    Raises: Refused when it is missing, a folder, or not readable.
    """
    try:
        if path.is_dir():
            raise Refused(f"a folder, not a {what}; name a file in it")
        with path.open("rb") as stream:
            return stream.read(at_most)
    except FileNotFoundError as error:
        raise Refused("no such file; check the path") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"cannot be read ({reason}); check the path and its permissions") from error


def decoded(data: bytes, keep_mark: bool = False) -> str:
    """UTF-8 text, without its byte order mark unless that is to be kept.

    Raises: Refused, with the line, when it is not UTF-8 or binary.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Refused("UTF-16 text; save it as UTF-8")
    try:
        text = data.decode("utf-8" if keep_mark else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(f"not UTF-8 text (byte 0x{data[error.start]:02x}); save it as UTF-8", line) from error
    if "\x00" in text:
        raise Refused("binary, not text; name a text file", text.count("\n", 0, text.index("\x00")) + 1)
    return text


def place_of(file: str, layer: int, line: int = 0) -> Place:
    """The place of a whole file, as the user named it."""
    return Place(layer, line, 0, "stdin" if file == STDIN else file)
