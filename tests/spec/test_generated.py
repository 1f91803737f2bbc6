"""Generated files agree with what they are generated from; the load path stays light."""

import subprocess
import sys
from pathlib import Path

import command
import pytest

from rallypoint.spec.kinds import LACKS
from rallypoint.spec.script import INLINE

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("tool", ["training_args.py", "reference.py"])
def test_a_generated_file_is_fresh(tool):
    pytest.importorskip("transformers")
    done = subprocess.run([sys.executable, ROOT / "tools" / tool, "--check"], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "differs" in line]) == (0, [])


def test_the_reference_page_names_the_kinds_of_each_field_that_some_lack():
    page = (ROOT / "docs" / "spec.md").read_text()
    assert [field for field in LACKS if f"| `{field}` |" not in page] == []
    assert "| Job, JobSet, TrainJob |" in page


def test_loading_imports_nothing_heavy():
    code = (
        "import sys, rallypoint.loading, rallypoint.spec.schema\n"
        "print(sorted({'torch', 'transformers', 'kubernetes', 'numpy', 'jinja2', 'rich'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "[]\n"


def test_an_inline_script_has_one_name():
    assert command.INLINE == INLINE  # the launcher imports nothing of ours
