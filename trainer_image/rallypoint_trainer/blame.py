"""Which of the user's training_args a library's refusal is about.

The libraries say what they do not like, seldom the key that asked for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rallypoint.errors import InputError

WHERE = "train.training_args"
REFUSALS = (ValueError, TypeError, ImportError, OSError, LookupError, AttributeError, NotImplementedError)
"""What the libraries raise for a value that they cannot use; not RuntimeError, which a device raises too."""


@contextmanager
def blamed_on(asked: dict[str, Any], keys: Iterable[str] | None = None) -> Iterator[None]:
    """Nothing; within it a refusal is the user's, who set one of `keys` (None: any key of `asked`).

    Raises: InputError that names the keys.
    """
    try:
        yield
    except REFUSALS as error:
        raise InputError(blame(asked, error, keys)) from error


def blame(asked: dict[str, Any], error: Exception, keys: Iterable[str] | None = None) -> str:
    """The message for `error`, with the keys of `asked` that it may be about."""
    reason = " ".join(str(error).split("\n\n")[0].split()).rstrip(".") or type(error).__name__
    if isinstance(error, KeyError):
        reason = f"no {reason}"
    guilty = _mentioned(asked, reason) if keys is None else [key for key in keys if key in asked]
    where = ", ".join(f"{WHERE}.{key}" for key in guilty) or WHERE
    values = ", ".join(repr(asked[key]) for key in guilty)
    missing = isinstance(error, ImportError) or "install" in reason
    way = "put the package into the image, or remove it" if missing else "see the transformers documentation"
    return f"{where}: {reason}{f' ({values})' if values else ''}; {way}"


def _mentioned(asked: dict[str, Any], reason: str) -> list[str]:
    """The keys that `reason` names; else those whose value it quotes."""
    named = [key for key in asked if re.search(rf"(?<![\w]){re.escape(key)}(?![\w])", reason, re.IGNORECASE)]
    if named:
        return named
    texts = {key: value for key, value in asked.items() if isinstance(value, str)}
    return [key for key, value in texts.items() if repr(value) in reason or reason.startswith(f"{value} ")]
