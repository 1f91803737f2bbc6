"""Did-you-mean: the nearest known key, and where a key belongs that is known elsewhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache

from rallypoint.loading.tree import Path, dotted
from rallypoint.spec.fields import all_fields, fields_at
from rallypoint.spec.training import TRAINING_ARGS

FOREIGN_WORDS = {
    "replicas": "nodes", "workers": "nodes", "numnodes": "nodes", "nnodes": "nodes", "completions": "nodes",
    "parallelism": "nodes", "numworkers": "nodes", "gpu": "resources.gpus", "numgpus": "resources.gpus",
    "gpuspernode": "resources.gpus", "nprocspernode": "nproc_per_node", "numprocpernode": "nproc_per_node",
    "nprocpernode": "nproc_per_node", "processes": "nproc_per_node", "shmsize": "resources.shm",
    "sharedmemory": "resources.shm", "backofflimit": "max_restarts", "restarts": "max_restarts",
    "ttlsecondsafterfinished": "ttl", "activedeadlineseconds": "deadline", "timeout": "deadline",
    "terminationgraceperiodseconds": "grace_period", "command": "script.file", "args": "script.args",
    "entrypoint": "script.file", "serviceaccountname": "service_account",
    "imagepullsecret": "image_pull_secrets",
    "queuename": "scheduling.queue", "nodeselectors": "scheduling.node_selector",
    "priorityclassname": "scheduling.priority_class", "volumemounts": "volumes", "envs": "env",
    "environment": "env", "envfrom": "env_from", "outputdir": "output", "rdzvendpoint": "rendezvous",
    "masterport": "rendezvous.port", "backend": "rendezvous.agent", "nodename": "scheduling.node_selector",
}  # fmt: skip
"""What other tools call our fields, without case, '_' and '-'."""


def bare(key: str) -> str:
    """`key` without case, '_' and '-'."""
    return key.replace("_", "").replace("-", "").lower()


def near(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was most likely meant to be, if one is near enough."""
    by_bare = {bare(name): name for name in known}
    if bare(word) in by_bare:
        return by_bare[bare(word)]
    matches = difflib.get_close_matches(bare(word)[:64], by_bare, n=1, cutoff=0.65)
    return by_bare[matches[0]] if matches else None


@cache
def _homes() -> dict[str, str]:
    """For each key without case and '_': the first place in the spec that has it."""
    homes: dict[str, str] = {}
    for key, _field in all_fields():
        if "[]" not in key and "*" not in key:
            homes.setdefault(bare(key.rpartition(".")[2]), key)
    for name in TRAINING_ARGS:
        homes.setdefault(bare(name), f"train.training_args.{name}")
    return homes


def unknown_key(path: Path) -> str:
    """What to say of a key that may not stand where it does."""
    key = str(path[-1])
    siblings = fields_at(path[:-1])
    guess = near(key, siblings)
    if guess:
        return f"unknown key; did you mean '{guess}'?"
    foreign = FOREIGN_WORDS.get(bare(key))
    home = foreign or _homes().get(bare(key))
    if home and home != dotted(path):
        return f"unknown key here; did you mean '{home}'?"
    known = ", ".join(siblings)
    return (
        f"unknown key; known here: {known}"
        if len(siblings) <= 16
        else "unknown key; remove it or correct its name"
    )
