"""Random job files: the chart and the command line make the same of each."""

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from chart.random_values import KINDS, NAMESPACE, REFUSED, keys_in, values
from chart.twin import chart_differs, helm_on, rendered
from rallypoint.render import to_yaml
from rallypoint.spec.fields import all_fields
from rallypoint.spec.kinds import LACKS

PER_KIND = 60
LEAST = 3


@cache
def specs(kind, count):
    return [values(kind, seed) for seed in range(count)]


def compared(kind, count, folder):
    """Each seed whose objects differ, with the difference; helm runs beside the command line."""
    (folder / "train.py").write_text("print('shipped')\n")
    (folder / "lib").mkdir()
    (folder / "lib/model.py").write_text("x = 1\n\n")
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        waiting = [(seed, *started(pool, spec, seed, folder)) for seed, spec in enumerate(specs(kind, count))]
        found = {seed: chart_differs(expected, result.result()) for seed, expected, result in waiting}
    return {seed: texts for seed, texts in found.items() if texts}


def started(pool, spec, seed, folder):
    """The objects of the command line, and helm's that are on their way.

    Every second job goes to helm as it was written, the others and those that ship files from the disk as
    `rallypoint values` prints them.
    """
    path = folder / f"{seed}.yaml"
    path.write_text(to_yaml([spec]))
    release = f"r-{seed}"
    expected, text = rendered(path, [] if "name" in spec else [f"name={release}"])
    script = spec.get("script", {})
    from_disk = script.get("file") == "train.py" or isinstance(script.get("files"), list)
    given = text if from_disk or seed % 2 else path.read_text()
    options = ["--namespace", NAMESPACE] if "namespace" in spec else []
    return expected, pool.submit(helm_on, given, *options, release=release)


@pytest.mark.parametrize("kind", KINDS)
def test_random_job_files_give_the_same_objects_as_render(kind, tmp_path):
    assert compared(kind, PER_KIND, tmp_path) == {}


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_two_thousand_random_job_files_give_the_same_objects_as_render(kind, tmp_path):
    assert compared(kind, 400, tmp_path) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_that_a_kind_accepts_is_set_at_least_three_times(kind):
    counts = Counter(key for spec in specs(kind, PER_KIND) for key in keys_in(spec))
    lacking = {field for field, kinds in LACKS.items() if kind in kinds}
    if kind == "statefulset":
        lacking = (lacking - {"suspend"}) | {"output.emptyDir", "output.ephemeral"}
    accepted = {key for key, _ in all_fields()} - REFUSED - lacking
    assert {key: counts[key] for key in accepted if counts[key] < LEAST} == {}
