"""Rules on what is written: no nulls, no leaked None, no plain-text credentials, variables that are text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rallypoint.checks.finding import Fault, Object, title
from rallypoint.checks.pod_template import all_pods, mapping, of_kind, sequence

FREE_TEXT = {
    "value",
    "args",
    "command",
    "data",
    "stringData",
    "annotations",
    "labels",
    "clusterIP",
    "cleanPodPolicy",
}
"""Below these the word None may be meant; the last two know it as a choice."""

SECRETS = {
    "a Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{30,}\b"),
    "an AWS access key": re.compile(r"\b(AKIA|ASIA)[A-Z0-9]{16}\b"),
    "a GitHub token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}\b"),
}
SECRET_NAMES = re.compile(r"^(WANDB_API_KEY|AWS_SECRET_ACCESS_KEY|HF_TOKEN|HUGGING_FACE_HUB_TOKEN)$")
"""Variables whose value is a credential whatever it looks like."""


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that holds no other, with its path."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, value


def nothing_is_null(objects: Sequence[Object]) -> Iterator[Fault]:
    """A null is a value that somebody forgot; the API server drops it or refuses it, by the field."""
    for item in objects:
        for path, value in _leaves(item):
            if value is None:
                yield Fault(title(item), path, "is null; give a value or leave the key out")


def nothing_is_the_word_none(objects: Sequence[Object]) -> Iterator[Fault]:
    """The word None is what a template makes of a value that was not there."""
    for item in objects:
        for path, value in _leaves(item):
            if value == "None" and not FREE_TEXT & set(re.split(r"[.\[]", path)):
                yield Fault(title(item), path, "is the word None; give a value or leave the key out")


def env_values_are_text(objects: Sequence[Object]) -> Iterator[Fault]:
    """The API server refuses a number or boolean there."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            for number, entry in enumerate(sequence(container, "env")):
                if "value" in entry and not isinstance(entry["value"], str):
                    text = f"must be text (got {entry['value']!r}); quote it"
                    yield pod.fault(f"{path}.env[{number}].value", text)


def env_names_are_unique(objects: Sequence[Object]) -> Iterator[Fault]:
    """Of two entries with one name the last wins silently, and a server-side apply refuses them."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            names = [str(entry.get("name")) for entry in sequence(container, "env")]
            for name in sorted({name for name in names if names.count(name) > 1}):
                yield pod.fault(f"{path}.env", f"{name!r} is set twice; keep one")


def no_secret_in_plain_text(objects: Sequence[Object]) -> Iterator[Fault]:
    """Whoever may read the object may read the credential."""
    for pod in all_pods(objects):
        for path, container in pod.all_containers:
            for number, entry in enumerate(sequence(container, "env")):
                what = _credential(str(entry.get("name")), entry.get("value"))
                if what:
                    text = f"{entry.get('name')} holds {what} in plain text; keep it in a Secret"
                    yield pod.fault(f"{path}.env[{number}].value", f"{text} and use valueFrom.secretKeyRef")
    for item in of_kind(objects, "ConfigMap"):
        for key, text in mapping(item, "data").items():
            for what, pattern in SECRETS.items():
                if isinstance(text, str) and pattern.search(text):
                    yield Fault(
                        title(item), f"data.{key}", f"holds {what} in plain text; keep it in a Secret"
                    )


def _credential(name: str, value: Any) -> str:
    """What kind of credential a variable holds; empty for none."""
    if not isinstance(value, str) or not value:
        return ""
    if SECRET_NAMES.match(name):
        return "a credential"
    return next((what for what, pattern in SECRETS.items() if pattern.search(value)), "")
