"""The tables of docs/faults.md are written from the figures of a run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "faults.py"


def written(folder, *figures):
    """The page after a run with these figures."""
    page, source = folder / "faults.md", folder / "figures.jsonl"
    shutil.copy(ROOT / "docs" / "faults.md", page)
    source.write_text("".join(f"{json.dumps(figure)}\n" for figure in figures))
    subprocess.run([sys.executable, TOOL, source, page], check=True)
    return page.read_text()


def test_figures_take_the_place_of_a_table_s_rows_and_of_nothing_else(tmp_path):
    before = (ROOT / "docs" / "faults.md").read_text().splitlines()
    example = {"what": "the example", "kind": "jobset", "apart": 0.0, "metrics_apart": 2e-7}
    lost = {"what": "pod 1 gone", "kind": "jobset", "lost": "0", "resumed": 253, "pod": 1.6, "apart": 2e-7}
    after = written(tmp_path, example, lost, {"what": "another figure", "seconds": 3.0}).splitlines()
    new = [line for line in after if line not in before]
    assert new == ["| jobset | 0 | 2.0e-07 |", "| pod 1 gone | jobset | 253 | 0 | 2 |  |  |  | 2.0e-07 |"]
    assert [line for line in after if not line.startswith("|")] == [
        line for line in before if not line.startswith("|")
    ]


def test_a_run_without_figures_leaves_the_page_as_it_is(tmp_path):
    assert written(tmp_path) == (ROOT / "docs" / "faults.md").read_text()
