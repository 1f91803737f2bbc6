"""Pipes, terminals and what is imported."""

import subprocess
import sys

import pytest

from cli.command import rallypoint

HEAVY = ["torch", "transformers", "datasets", "accelerate", "kubernetes", "numpy", "jinja2", "ruamel", "rich"]
"""Not pydantic: typer itself imports it to read a verb's options."""
VERBS = ["init", "validate", "values", "render", "run", "schema", "version"]


def test_a_reader_that_goes_away_is_no_error_worth_a_word(folder):
    command = f"{sys.executable} -m rallypoint render | true; echo ${{PIPESTATUS[0]}}"
    found = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (found.stdout, found.stderr) == ("141\n", "")


def test_a_full_disk_is_said(folder):
    command = f"{sys.executable} -m rallypoint render > /dev/full"
    found = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)
    assert found.returncode == 1
    assert found.stderr == "standard output: cannot be written (No space left on device)\n"


def test_a_closed_output_is_said(folder):
    command = f"{sys.executable} -m rallypoint render >&-"
    found = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)
    assert found.returncode == 1
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("verb", [None, *VERBS])
def test_help_imports_nothing_heavy(verb):
    arguments = [*([verb] if verb else []), "--help"]
    code = (
        "import sys\nfrom rallypoint.cli import main\n"
        f"try: main({arguments})\n"
        f"finally: print(sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.stderr == "[]\n"


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_an_example(verb):
    found = rallypoint(verb, "--help")
    assert f"  rallypoint {verb}" in found.stdout[found.stdout.index("Examples:") :]


@pytest.mark.parametrize("arguments", [["render"], ["validate"], ["values"], ["--help"], ["version"]])
def test_what_is_piped_is_plain_ascii(folder, arguments):
    found = rallypoint(*arguments, folder=folder)
    assert (found.stdout + found.stderr).isascii()
    assert "\x1b" not in found.stdout + found.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_complete_verbs(shell):
    if shell == "bash":
        environment = {"COMP_WORDS": "rallypoint ren", "COMP_CWORD": "1"}
    else:
        environment = {"_TYPER_COMPLETE_ARGS": "rallypoint ren", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    found = rallypoint(environment={**environment, "_RALLYPOINT_COMPLETE": f"complete_{shell}"})
    assert "render" in found.stdout
