"""bf16 where all ranks have it, and as before after a resume."""

from __future__ import annotations

import pytest

from rallypoint_trainer.precision import decide_bf16, native_bf16


@pytest.mark.parametrize(
    ("native", "before", "value", "reason"),
    [
        ([True, True], None, True, "all 2 ranks have native bf16"),
        ([True, False], None, False, "rank 1 has no native bf16"),
        ([False, True, False], None, False, "rank 0 and 1 more has no native bf16"),
        ([True, True], False, False, "as in the checkpoint"),
        ([True, False], True, True, "as in the checkpoint (slow: rank 1 would emulate it)"),
    ],
)
def test_the_least_capable_rank_decides(native, before, value, reason):
    assert decide_bf16(native, before) == (value, reason)


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
    assert native_bf16(False, path) is able


def test_a_machine_without_cpuinfo_has_none(tmp_path):
    assert native_bf16(False, tmp_path / "none") is False
