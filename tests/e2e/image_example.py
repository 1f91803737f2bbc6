"""What the tests add to the trainer image: the model and data of the example, and tiny ones for the faults.

`python -m tests.e2e.image_example FOLDER` writes it as a build context, for any builder.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from ..trainer import small

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples" / "models" / "all-MiniLM-L6-v2"
DATA = ROOT / "examples" / "data" / "mrpc"
EXAMPLE = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
COPY models /models
COPY data /data
"""
"""What examples/mrpc/job.yaml asks of its image."""

TINY = "tiny"
"""Name of the fault tests' own model and data: some milliseconds a step."""


def write_example(folder: Path) -> None:
    """A build context with a Dockerfile of one argument, BASE_IMAGE."""
    shutil.copytree(MODEL, folder / "models" / MODEL.name)
    small.make_model(folder / "models" / TINY, dropout=0.1)
    shutil.copytree(DATA, folder / "data" / DATA.name)
    (folder / "data" / TINY).mkdir()
    write_tiny_data(folder / "data" / TINY)
    let_all_read(folder)
    (folder / "Dockerfile").write_text(EXAMPLE)


def let_all_read(folder: Path) -> None:
    """Whoever runs the image may read the files: `save_pretrained` writes weights for their owner alone."""
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def write_tiny_data(folder: Path) -> None:
    """Pairs of sentences that a tiny model learns something from."""
    small.write_jsonl(folder / "train.jsonl", small.rows(1200))
    small.write_jsonl(folder / "validation.jsonl", small.rows(300, seed=1))


if __name__ == "__main__":
    write_example(Path(sys.argv[1]))
