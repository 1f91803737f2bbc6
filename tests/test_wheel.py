"""The built wheel, in an empty environment outside the repository, renders and runs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
JOB = """\
name: hello
nodes: 2
image: registry.example.com/hello:1
script: {inline: "import os; print('hello from rank', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'])"}
"""


def shown(*command: object, cwd: Path) -> str:
    ended = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=240
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def empty_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `bin/rallypoint` installed from the wheel alone, and a job file."""
    folder = tmp_path_factory.mktemp("elsewhere")
    shown(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    shown(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    uv = shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv is None:
        pytest.skip("uv is missing beside this Python: `make install` brings it")
    wheel = next(folder.glob("*.whl"))
    constraints = ROOT / "constraints.txt"
    shown(uv, "pip", "install", "--python", folder / "env/bin/python", "-c", constraints, wheel, cwd=folder)
    (folder / "job.yaml").write_text(JOB)
    return folder


def test_the_wheel_renders(empty_environment: Path):
    manifests = shown("env/bin/rallypoint", "render", "job.yaml", cwd=empty_environment)
    assert "kind: Job" in manifests
    assert "launcher/__main__.py" in manifests


def test_the_wheel_runs_two_nodes_without_torch(empty_environment: Path):
    lines = shown("env/bin/rallypoint", "run", "job.yaml", cwd=empty_environment)
    assert "hello from rank 0 of 2" in lines
    assert "hello from rank 1 of 2" in lines
