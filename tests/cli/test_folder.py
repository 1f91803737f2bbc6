"""`render -o DIR`."""

import re

import pytest

from cli.command import JOB, rallypoint


def names(folder):
    """Of the files, without the digest that one of them has."""
    return sorted(re.sub(r"-files-[0-9a-f]{8}", "-files-0", path.name) for path in (folder / "out").iterdir())


def render(folder, *more):
    return rallypoint("render", "-o", "out", *more, folder=folder)


def test_one_file_for_each_object_in_apply_order(folder):
    found = render(folder)
    assert (found.returncode, found.stdout) == (0, "")
    assert names(folder) == [
        "0-configmap-tiny-config.yaml",
        "1-configmap-tiny-files-0.yaml",
        "2-service-tiny-rdzv.yaml",
        "3-networkpolicy-tiny.yaml",
        "4-job-tiny.yaml",
    ]


def test_a_second_render_replaces_its_own_files(folder):
    render(folder)
    (folder / "job.yaml").write_text(JOB + "network: {policy: false}\n")
    assert render(folder).returncode == 0
    assert names(folder)[2:] == ["2-service-tiny-rdzv.yaml", "3-job-tiny.yaml"]


def test_another_run_leaves_no_files_of_the_earlier_one(folder):
    render(folder)
    (earlier,) = (folder / "out").glob("*-files-*")
    assert render(folder, "--set", "max_restarts=1").returncode == 0
    (later,) = (folder / "out").glob("*-files-*")
    assert earlier.name != later.name


@pytest.mark.parametrize("name", ["theirs.yaml", "theirs.yml", "theirs.json", "3-job-tiny.yaml"])
def test_other_manifests_are_not_mixed_with(folder, name):
    (folder / "out").mkdir()
    (folder / "out" / name).write_text("kind: Pod\n")
    found = render(folder)
    assert found.returncode == 2
    assert found.stderr.startswith(f"out: holds manifests of another origin ('{name}')")
    assert names(folder) == [name]


def test_another_jobs_manifests_are_not_mixed_with(folder):
    render(folder)
    before = names(folder)
    assert render(folder, "--set", "name=other").returncode == 2
    assert names(folder) == before


@pytest.mark.parametrize("name", ["README.md", "kustomization.yaml", ".gitkeep"])
def test_files_that_kubectl_does_not_apply_may_stay(folder, name):
    (folder / "out").mkdir()
    (folder / "out" / name).write_text("theirs")
    assert render(folder).returncode == 0
    assert (folder / "out" / name).read_text() == "theirs"


def test_a_file_in_the_place_of_the_folder_is_refused(folder):
    (folder / "out").write_text("")
    found = render(folder)
    assert (found.returncode, found.stderr) == (2, "out: is a file; name a folder\n")
