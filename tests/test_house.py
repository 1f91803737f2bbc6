"""The house rules that a machine can hold: size, layers, words, light imports."""

import ast
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = sorted([*(ROOT / "generator").rglob("*.py"), *(ROOT / "trainer_image").rglob("*.py")])
LAYERS = [
    {"canonical", "errors", "quantity", "told"},
    {"spec"},
    {"topology", "contract"},
    {"loading", "podview", "checks"},
    {"render", "lint"},
    {"run", "cluster", "report"},
    {"cli"},
]
"""From the ground up: each may import what lies below it, never a sibling."""


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def length(node: ast.AST) -> int:
    return node.end_lineno - node.lineno + 1


def imported(path: Path) -> set[str]:
    """Every `rallypoint...` module that the file names in an import, at any depth."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] in ("rallypoint", "rallypoint_trainer")}


def test_product_files_are_found():
    assert len(PRODUCT) > 30


@pytest.mark.parametrize("path", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_has_at_most_250_lines(path):
    assert len(path.read_text().splitlines()) <= 250


@pytest.mark.parametrize("path", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_function_is_longer_than_60_lines(path):
    assert [node.name for node in functions(path) if length(node) > 60] == []


def test_functions_have_a_median_under_10_lines():
    assert statistics.median(length(node) for path in PRODUCT for node in functions(path)) < 10


def test_no_file_is_named_for_nothing():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert [path for path in PRODUCT if vague & {path.stem, path.parent.name}] == []


@pytest.mark.parametrize("path", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_our_own_text_is_ascii(path):
    assert path.read_text().isascii()


def level(name: str) -> int | None:
    return next((i for i, layer in enumerate(LAYERS) if name in layer), None)


@pytest.mark.parametrize(
    "path",
    [p for p in PRODUCT if "launcher" not in p.parts and "generator" in p.parts],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_layer_imports_only_those_below_it(path):
    own = path.relative_to(ROOT / "generator/rallypoint").parts[0].removesuffix(".py")
    wrong = []
    for name in imported(path):
        other = name.split(".")[1] if "." in name else ""
        if name.startswith("rallypoint_trainer"):
            wrong.append(name)
        if other != own and None not in (level(other), level(own)) and level(other) >= level(own):
            wrong.append(name)
    assert wrong == []


def test_every_part_of_the_generator_has_a_layer():
    files = [path for path in PRODUCT if "generator" in path.parts]
    parts = {path.relative_to(ROOT / "generator/rallypoint").parts[0].removesuffix(".py") for path in files}
    assert parts - {"__init__", "__main__", "launcher"} - set().union(*LAYERS) == set()


def test_the_trainer_imports_only_spec_and_errors():
    names = set().union(*(imported(path) for path in PRODUCT if "rallypoint_trainer" in path.parts))
    allowed = ("rallypoint_trainer", "rallypoint.spec", "rallypoint.errors")
    assert {name for name in names if not name.startswith(allowed)} == set()


def test_the_launcher_imports_nothing_of_ours_and_is_imported_by_nobody():
    launcher = [path for path in PRODUCT if "launcher" in path.parts]
    assert launcher
    assert [path for path in launcher if imported(path)] == []
    everything = set().union(*map(imported, PRODUCT))
    assert {name for name in everything if name.startswith("rallypoint.launcher")} == set()


def test_the_generator_imports_without_the_heavy_packages():
    code = (
        "import sys, rallypoint.cli, rallypoint.loading, rallypoint.render, rallypoint.run\n"
        "heavy = {'torch', 'transformers', 'datasets', 'accelerate', 'kubernetes', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "[]\n"
