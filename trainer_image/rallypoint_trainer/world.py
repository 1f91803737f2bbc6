"""The processes that train together: who this one is, and how all of them agree before and after training.

Agreement here goes through the rendezvous store and has no time-out of its own: tokenising may take an
hour on one node while the others wait. Refuses to start when the world is not the one that the job asked for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch.distributed import PrefixStore, Store  # type: ignore[attr-defined]  # there, not in torch's stub
from torch.distributed.rendezvous import rendezvous

from rallypoint.errors import InputError
from rallypoint_trainer.contract import Contract

T = TypeVar("T")

FAREWELL_SECONDS = 10
"""How long rank 0, which may host the store, waits for the others to read the last word."""


class World:
    """All ranks of the job, seen from one of them."""

    def __init__(self, contract: Contract, environ: Mapping[str, str]) -> None:
        self.rank = _number(environ, "RANK")
        self.local_rank = _number(environ, "LOCAL_RANK")
        self.size = _number(environ, "WORLD_SIZE")
        self.node = int(environ.get("GROUP_RANK", "0"))
        self.on_gpu = contract.gpus > 0
        check_world(contract, self.size)
        self._store: Store | None = None

    @property
    def speaks(self) -> bool:
        """Whether this rank writes what is written once."""
        return self.rank == 0

    @property
    def first_on_node(self) -> bool:
        """Whether this rank prepares data for its node."""
        return self.local_rank == 0

    def meet(self, timeout_seconds: int) -> None:
        """Joins the process group: gloo for CPU tensors on every job, nccl for CUDA tensors where there
        are GPUs.

        Created here and not by TrainingArguments because with `use_cpu` that would ignore `ddp_timeout`.
        """
        timeout = timedelta(seconds=timeout_seconds)
        store, _, _ = next(rendezvous("env://", timeout=timeout))
        self._store = PrefixStore("rallypoint", store)
        self.together("devices", self._take_device)
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if self.on_gpu else "gloo",
            store=PrefixStore("group", store),
            rank=self.rank,
            world_size=self.size,
            timeout=timeout,
        )

    def _take_device(self) -> None:
        """Makes this rank's GPU the current one, on a GPU job."""
        if not self.on_gpu:
            return
        if torch.cuda.device_count() <= self.local_rank:
            raise InputError(
                f"resources.gpus: rank {self.rank} on node {self.node} needs GPU "
                f"{self.local_rank}, the node shows "
                f"{torch.cuda.device_count()}; lower gpus and nproc_per_node, or use other nodes"
            )
        torch.cuda.set_device(self.local_rank)

    @property
    def store(self) -> Store:
        """The store of this round; there once `meet` has returned."""
        assert self._store is not None, "meet() comes first"
        return self._store

    def together(self, name: str, act: Callable[[], T]) -> T:
        """What `act` returns here, once every rank is through; the first InputError of any rank is
        everybody's.

        Raises: InputError, on all ranks, as soon as one rank has met it.
        """
        try:
            value = act()
        except InputError as error:
            if self.store.add(f"{name}/problems", 1) == 1:
                self.store.set(f"{name}/problem", str(error))
                raise
            raise SpokenError(str(error)) from error
        self.store.add(f"{name}/arrived", 1)
        pause = 0.005
        while self.store.add(f"{name}/arrived", 0) < self.size:
            if self.store.check([f"{name}/problem"]):
                raise SpokenError(self.store.get(f"{name}/problem").decode())
            time.sleep(pause)
            pause = min(pause * 2, 0.25)
        return value

    def node_by_node(self, name: str, act: Callable[[], T]) -> T:
        """What `act` returns here; each node's first rank goes ahead, so that a node downloads only once."""
        nothing: Callable[[], T | None] = lambda: None  # noqa: E731
        first = self.together(f"{name}/first", act if self.first_on_node else nothing)
        rest = self.together(f"{name}/rest", nothing if self.first_on_node else act)
        value = first if self.first_on_node else rest
        assert value is not None
        return value

    def of_node(self, name: str, decide: Callable[[], str]) -> str:
        """What `decide` returns on the first rank of this node."""

        def act() -> None:
            if self.first_on_node:
                self.store.set(f"{name}/node/{self.node}", decide())

        self.together(name, act)
        return str(self.store.get(f"{name}/node/{self.node}").decode())

    def gathered(self, name: str, value: Any) -> list[Any]:
        """`value` of every rank, by rank; anything that JSON can hold."""
        self.store.set(f"{name}/value/{self.rank}", json.dumps(value))
        self.together(name, lambda: None)
        return [json.loads(self.store.get(f"{name}/value/{rank}")) for rank in range(self.size)]

    def decided(self, name: str, decide: Callable[[], Any]) -> Any:
        """What rank 0's `decide` returns, on every rank; anything that JSON can hold."""

        def act() -> None:
            if self.speaks:
                self.store.set(f"{name}/decision", json.dumps(decide()))

        self.together(name, act)
        return json.loads(self.store.get(f"{name}/decision"))

    def part(self) -> None:
        """Leaves the group; rank 0 goes last because the store may live in its process."""
        if self._store is not None:
            try:
                self._say_goodbye(self._store)
            except (
                RuntimeError
            ):  # torch's DistError: the host of the store is gone, there is nobody to wait for
                pass
        if dist.is_initialized():
            dist.destroy_process_group()

    def _say_goodbye(self, store: Store) -> None:
        """Counts this rank as gone; rank 0 waits until all are, or a little while."""
        store.add("gone", 1)
        end = time.monotonic() + FAREWELL_SECONDS
        while self.rank == 0 and store.add("gone", 0) < self.size and time.monotonic() < end:
            time.sleep(0.01)


class SpokenError(InputError):
    """An InputError that another rank has already put into words; this rank stays silent."""


def check_world(contract: Contract, size: int) -> None:
    """Nothing, when `size` processes are what the job asked for.

    Raises: InputError; a smaller world would train with another batch, copies of one would train in vain.
    """
    if size != contract.world_size:
        raise InputError(
            f"world: {size} processes were started (WORLD_SIZE), the job says {contract.nodes} nodes x "
            f"{contract.nproc_per_node} = {contract.world_size}; start it with rallypoint's "
            "launcher or torchrun "
            f"--nnodes={contract.nodes} --nproc-per-node={contract.nproc_per_node}"
        )


def check_trainer_world(seen: int, contract: Contract) -> None:
    """Nothing, when the Trainer's own world is the job's.

    Raises: RuntimeError, as this is our own mistake: each rank would train a whole copy without a word.
    """
    if not seen == dist.get_world_size() == contract.world_size:
        raise RuntimeError(
            f"the Trainer sees {seen} processes, the process group has {dist.get_world_size()}, "
            f"the job {contract.world_size}"
        )


def _number(environ: Mapping[str, str], name: str) -> int:
    """The whole number in the variable `name`, which torchrun and the launcher set."""
    try:
        return int(environ[name])
    except (KeyError, ValueError) as error:
        raise InputError(
            f"environment: {name} is not set to a number ({environ.get(name)!r}); "
            "start the trainer with rallypoint's launcher or torchrun"
        ) from error
