"""A training that helm installs: `helm test` sees it advance, and it ends with the numbers of a local run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from .conftest import story
from .kind import BY_NAME
from .release import Release
from .space import Space
from .training_result import TOLERANCE, Result, difference
from .training_run import TrainingRun, sets

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900, func_only=True)]


def chart_values(job: Path, *changes: str) -> dict[str, object]:
    """What `rallypoint values` prints for the chart."""
    command = [sys.executable, "-m", "rallypoint", "values", str(job), *sets(changes)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return dict(yaml.safe_load(result.stdout))


def test_helm_test_sees_a_training_advance_and_end(
    training_image: str, trainings: Space, tiny: Path, tiny_here: Result, tmp_path: Path
) -> None:
    run = TrainingRun(BY_NAME["jobset"], "charted", trainings.namespace, "", trainings.folder / "charted")
    release = Release(run, tmp_path)
    own = (f"name={run.name}", "kind=jobset", f"image={training_image}", "security.user=12345")
    release.install(chart_values(tiny, *own, "security.fs_group=0"))
    try:
        run.wait_for_step(10)
        passes, told = release.test()
        assert passes, told
        assert "progress: from step " in told
        run.wait_until_done(300)
        passes, told = release.test()
        assert passes, told
        assert "done: " in told
        assert difference(run.result().logged(), tiny_here.logged()) <= TOLERANCE
    except BaseException:
        print(story(run))
        raise
    finally:
        release.uninstall()
