"""Whether to train in bf16: measured on every rank, decided once, the least capable decides.

Instructions alone do not say it: on some CPUs with AVX512-BF16 a bf16 product takes half as long as in
float32, on others twice as long. Refuses to emulate by default.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import torch

CPU_FLAGS = {"avx512_bf16", "amx_bf16", "bf16"}
"""x86's and Arm's names in /proc/cpuinfo for native bf16 arithmetic."""

AMPERE = (8, 0)
"""The first CUDA capability with bf16."""

GPU_SPEEDUP = 2.0
"""What tensor cores give at least; not measured, the first kernels on a GPU take long to load."""

WORTH_IT = 1.2
"""bf16 must be this many times as fast: below, its rounding buys nothing."""

SHAPE = (1024, 384, 1536)
"""Samples x tokens, width, feed-forward width of a small BERT's product."""


class Decision(NamedTuple):
    """What was decided, and why."""

    value: bool
    reason: str


def bf16_speedup(on_gpu: bool, cpuinfo: Path = Path("/proc/cpuinfo")) -> float:
    """How many times as fast as float32 this rank's device multiplies in bf16; 0 without native bf16."""
    if on_gpu:
        return GPU_SPEEDUP if torch.cuda.get_device_capability() >= AMPERE else 0.0
    if not native_bf16(cpuinfo):
        return 0.0
    seconds = {torch.float32: float("inf"), torch.bfloat16: float("inf")}
    for _ in range(8):  # in turn, and the shortest counts: ranks may share cores
        for dtype, shortest in seconds.items():
            seconds[dtype] = min(shortest, _product_seconds(dtype))
    return round(seconds[torch.float32] / seconds[torch.bfloat16], 2)


def native_bf16(cpuinfo: Path) -> bool:
    """Whether the CPU has bf16 instructions."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:  # macOS has no such file, and no bf16 on the CPU that torch would use
        return False
    flags = (
        line.split(":", 1)[1].split() for line in text.splitlines() if line.startswith(("flags", "Features"))
    )
    return bool(CPU_FLAGS & set(next(flags, [])))


def decide_bf16(speedups: list[float], before: bool | None) -> Decision:
    """bf16 for a run that did not ask.

    `speedups` by rank; `before` is what the checkpoint to resume from was trained with, and is kept.
    """
    slowest = min(speedups)
    rank = speedups.index(slowest)
    found = f"rank {rank} has no native bf16"
    if slowest:
        found = f"bf16 is {slowest:g} times as fast as float32 on rank {rank}, the slowest of {len(speedups)}"
    if before is not None:
        return Decision(before, f"as in the checkpoint ({found})")
    return Decision(slowest >= WORTH_IT, found)


def _product_seconds(dtype: torch.dtype) -> float:
    """How long one product of SHAPE takes."""
    rows, width, out = SHAPE
    left, right = torch.ones(rows, width, dtype=dtype), torch.ones(out, width, dtype=dtype)
    began = time.perf_counter()
    torch.nn.functional.linear(left, right)
    return time.perf_counter() - began
