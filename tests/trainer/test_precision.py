"""bf16 where it is faster on all ranks, and as before after a resume."""

from __future__ import annotations

import pytest
import torch

from rallypoint_trainer import precision
from rallypoint_trainer.precision import bf16_speedup, decide_bf16, native_bf16


@pytest.mark.parametrize(
    ("speedups", "before", "value", "reason"),
    [
        ([1.9, 1.8], None, True, "bf16 is 1.8 times as fast as float32 on rank 1, the slowest of 2"),
        ([2.0, 2.0], None, True, "bf16 is 2 times as fast as float32 on rank 0, the slowest of 2"),
        ([1.9, 0.6], None, False, "bf16 is 0.6 times as fast as float32 on rank 1, the slowest of 2"),
        ([1.9, 0.0], None, False, "rank 1 has no native bf16"),
        (
            [2.0, 2.0],
            False,
            False,
            "as in the checkpoint (bf16 is 2 times as fast as float32 on rank 0, the slowest of 2)",
        ),
        ([0.0, 1.9], True, True, "as in the checkpoint (rank 0 has no native bf16)"),
    ],
)
def test_the_least_capable_rank_decides(speedups, before, value, reason):
    assert decide_bf16(speedups, before) == (value, reason)


@pytest.mark.parametrize(
    ("line", "able"),
    [
        ("flags\t\t: fpu avx512f avx512_bf16", True),
        ("flags\t\t: fpu amx_bf16", True),
        ("Features\t: fp asimd bf16", True),
        ("flags\t\t: fpu avx512f", False),
        ("model name : avx512_bf16", False),
    ],
)
def test_a_cpu_is_asked_for_its_instructions(tmp_path, line, able):
    path = tmp_path / "cpuinfo"
    path.write_text(f"processor : 0\n{line}\n")
    assert native_bf16(path) is able


def test_a_machine_without_cpuinfo_has_none(tmp_path):
    assert bf16_speedup(False, tmp_path / "none") == 0.0


def test_the_shortest_of_several_products_counts(tmp_path, monkeypatch):
    (tmp_path / "cpuinfo").write_text("flags : avx512_bf16\n")
    seconds = {torch.float32: iter([9, 4, 9, 9] * 2), torch.bfloat16: iter([9, 9, 9, 2] * 2)}
    monkeypatch.setattr(precision, "_product_seconds", lambda dtype: next(seconds[dtype]))
    assert bf16_speedup(False, tmp_path / "cpuinfo") == 2.0
