"""The contract as the launcher reads it: what to run, with how many nodes, and which of them this is."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VERSION = 1
INDEX_VARIABLE = "RALLYPOINT_NODE_INDEX"


class BadContractError(Exception):
    """The launcher was started with something that cannot run; ends with 2."""


@dataclass(frozen=True)
class Job:
    """One job, seen from one of its nodes."""

    contract: str
    name: str
    run_id: str
    nodes: int
    nproc_per_node: int
    index: int
    host: str
    port: int
    agent: str
    rendezvous_timeout_seconds: float
    max_restarts: int
    grace_seconds: float
    output: str | None
    workdir: str
    idle_when_done: bool
    debug: bool
    script: dict[str, Any] | None
    files: dict[str, str]

    @property
    def world_size(self) -> int:
        """Training processes of the whole job, `nodes * nproc_per_node`."""
        return self.nodes * self.nproc_per_node

    def ranks(self) -> str:
        """`rank 2 of 3`, or `ranks 4-5 of 6` with several processes a node."""
        first, last = self.rank(0), self.rank(self.nproc_per_node - 1)
        shown = f"rank {first}" if first == last else f"ranks {first}-{last}"
        return f"{shown} of {self.world_size}"

    def rank(self, local_rank: int) -> int:
        """Rank of a process of this node: rank order is node order."""
        return self.index * self.nproc_per_node + local_rank


def run_id(contract: Mapping[str, Any]) -> str:
    """`<name>-<8 hex digits>`: the same for the same run, another for any other.

    The digits are those of the SHA-256 of what decides the result, as JSON with sorted keys and no spaces;
    addresses and time-outs are left out, because a job that is only moved is still the same.
    """
    keys = ("name", "nodes", "nproc_per_node", "train", "script", "files")
    what = {key: contract[key] for key in keys if contract.get(key) is not None}
    text = json.dumps(what, sort_keys=True, separators=(",", ":"))
    return f"{contract['name']}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def stop_seconds(grace_period_seconds: float) -> float:
    """How long the processes have after a SIGTERM: the pod's grace period less what the launcher itself
    needs.
    """
    return grace_period_seconds - min(15.0, grace_period_seconds / 4)


def read_contract(path: str) -> dict[str, Any]:
    """The contract as it stands in the file.

    Raises: BadContractError when there is none, it is not JSON, or it is of a version that this launcher
    does not know.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadContractError(f"{path}: there is no contract; mount the job's ConfigMap there") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadContractError(f"{path}: the contract cannot be read ({error})") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadContractError(
            f"{path}: the contract is not JSON ({error.msg}, {where}); render it again"
        ) from error
    if not isinstance(found, dict):
        raise BadContractError(f"{path}: the contract is not a JSON object; render it again")
    if found.get("version") != VERSION:
        known = f"version {found.get('version')!r}, this launcher knows {VERSION}"
        raise BadContractError(
            f"{path}: unknown contract ({known}); rebuild the image or render the job again"
        )
    return found


def node_index(text: str | None, nodes: int) -> int:
    """The node index out of its environment variable.

    Raises: BadContractError when it is missing, not a number, or not one of this job's.
    """
    if not text:
        raise BadContractError(f"{INDEX_VARIABLE}: not set; it comes from the pod's index label")
    if not text.isascii() or not text.isdigit() or int(text) >= nodes:
        raise BadContractError(f"{INDEX_VARIABLE}: must be 0 to {nodes - 1} for {nodes} nodes (got {text!r})")
    return int(text)


def endpoint(text: str) -> tuple[str, int]:
    """Host and port of `host:port`; an IPv6 address stands in brackets."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise BadContractError(f"endpoint: must be host:port (got {text!r})")
    return host.strip("[]"), int(port)


def job_of(path: str, environment: Mapping[str, str]) -> Job:
    """The job that the contract at `path` describes, for the node that `environment` names.

    Raises: BadContractError, with a message that says where and what to do.
    """
    contract = read_contract(path)
    try:
        host, port = endpoint(contract["endpoint"])
        return Job(
            contract=os.path.abspath(path),  # noqa: PTH100 - a symlink of a ConfigMap must stay one
            name=contract["name"],
            run_id=run_id(contract),
            nodes=int(contract["nodes"]),
            nproc_per_node=int(contract["nproc_per_node"]),
            index=node_index(environment.get(INDEX_VARIABLE), int(contract["nodes"])),
            host=host,
            port=port,
            agent=contract.get("agent", "rallypoint"),
            rendezvous_timeout_seconds=float(contract["rendezvous_timeout_seconds"]),
            max_restarts=int(contract["max_restarts"]),
            grace_seconds=stop_seconds(float(contract["grace_period_seconds"])),
            output=contract.get("output"),
            workdir=contract["workdir"],
            idle_when_done=bool(contract.get("idle_when_done", False)),
            debug=bool(contract.get("debug", False)),
            script=contract.get("script"),
            files=dict(contract.get("files") or {}),
        )
    except KeyError as error:
        raise BadContractError(f"{path}: the contract has no {error}; render it again") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise BadContractError(f"{path}: the contract is damaged ({error}); render it again") from error
