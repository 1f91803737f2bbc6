"""Whether to train in bf16: decided once over all ranks, the least capable decides.

Refuses to emulate by default: bf16 without the instructions is slower than float32.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch

CPU_FLAGS = {"avx512_bf16", "amx_bf16", "bf16"}
"""x86's and Arm's names in /proc/cpuinfo for native bf16 arithmetic."""

AMPERE = (8, 0)
"""The first CUDA capability with bf16."""


class Decision(NamedTuple):
    """What was decided, and why."""

    value: bool
    reason: str


def native_bf16(on_gpu: bool, cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this rank's device computes in bf16 by itself."""
    if on_gpu:
        return torch.cuda.get_device_capability() >= AMPERE
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:  # macOS has no such file, and no bf16 on the CPU that torch would use
        return False
    flags = (
        line.split(":", 1)[1].split() for line in text.splitlines() if line.startswith(("flags", "Features"))
    )
    return bool(CPU_FLAGS & set(next(flags, [])))


def decide_bf16(native: list[bool], before: bool | None) -> Decision:
    """bf16 for a run that did not ask; `native` by rank, `before` what the checkpoint to "
    "resume was trained with.
    """
    lacking = [rank for rank, able in enumerate(native) if not able]
    if before is not None:
        slow = " (slow: " + _ranks(lacking) + " would emulate it)" if before and lacking else ""
        return Decision(before, f"as in the checkpoint{slow}")
    if lacking:
        return Decision(False, f"{_ranks(lacking)} has no native bf16")
    return Decision(True, f"all {len(native)} ranks have native bf16")


def _ranks(ranks: list[int]) -> str:
    """`rank 3`, or the first of several."""
    return f"rank {ranks[0]}" + (f" and {len(ranks) - 1} more" if len(ranks) > 1 else "")
