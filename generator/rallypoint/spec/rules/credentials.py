"""Credentials in plain text: a job file is read by many, and everything in it lies open in the cluster.

Refuses to show what it found: a message carries the first letters only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rallypoint.spec.job import Job
from rallypoint.spec.rules.violation import Path, Violation

PATTERNS = {
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{16,}",
    "a GitHub token": r"\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
    "a GitLab token": r"\bglpat-[A-Za-z0-9_-]{16,}",
    "an AWS access key": r"\b(AKIA|ASIA)[0-9A-Z]{16}\b",
    "an API key": r"\bsk-[A-Za-z0-9_-]{20,}",
    "a Slack token": r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "a Google API key": r"\bAIza[0-9A-Za-z_-]{35}",
    "a private key": r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----",
    "a password in a URL": r"\b[a-z][a-z0-9+.-]{1,15}://[^/\s:@]{1,64}:[^/\s:@]{3,128}@",
    "a W&B key": r"(?i:wandb[\w-]{0,30}?(key|login)\W{1,4})[0-9a-f]{40}\b",
    "an AWS secret key": r"(?i:aws_?secret_?access_?key\W{1,4})[A-Za-z0-9/+]{40}",
}
_PATTERNS = {what: re.compile(pattern) for what, pattern in PATTERNS.items()}

SECRET_NAMES = re.compile(
    r"(WANDB_API_KEY|HF_TOKEN|HUGGING_?FACE_?HUB_TOKEN|HUGGINGFACE_TOKEN|GITHUB_TOKEN|GH_TOKEN|AWS_SESSION_TOKEN"
    r"|.*(_API_KEY|_API_TOKEN|_ACCESS_KEY|_SECRET_KEY|_ACCESS_TOKEN|_AUTH_TOKEN|_PASSWORD|_PASSWD|_CLIENT_SECRET))"
)
"""Variables whose text is a secret whatever it looks like."""


def secret_in(text: str) -> tuple[str, str] | None:
    """What kind of credential the text holds and its first four letters; None when there is none."""
    for what, pattern in _PATTERNS.items():
        found = pattern.search(text)
        if found:
            return what, found.group()[:4]
    return None


def no_plain_credentials(job: Job) -> Iterator[Violation]:
    """Nothing in the job reads like a credential."""
    for path, text in _texts(job.model_dump(exclude_unset=True), ()):
        found = secret_in(text)
        if path[0] == "env" and len(path) == 2 and text and (found or SECRET_NAMES.fullmatch(str(path[1]))):
            start = found[1] if found else text[:2]
            what = found[0] if found else "a secret"
            fix = f"put it into a Secret and write {path[1]}: {{secret: NAME, key: KEY}}"
            yield Violation(path, f"{what} in plain text (got '{start}...'); {fix}")
        elif found:
            fix = "put it into a Secret and read it from env, as in HF_TOKEN: {secret: NAME, key: KEY}"
            yield Violation(path, f"holds {found[0]} in plain text (got '{found[1]}...'); {fix}")


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text in the job with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, str(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
    elif isinstance(value, str):
        yield path, value


RULES = (no_plain_credentials,)
