"""`render -o DIR`."""

import pytest

from cli.command import JOB, rallypoint


def names(folder):
    return sorted(path.name for path in (folder / "out").iterdir())


def render(folder, *more):
    return rallypoint("render", "-o", "out", *more, folder=folder)


def test_one_file_for_each_object_in_apply_order(folder):
    found = render(folder)
    assert (found.returncode, found.stdout) == (0, "")
    assert names(folder) == [
        "0-configmap-tiny-config.yaml",
        "1-configmap-tiny-files.yaml",
        "2-service-tiny-rdzv.yaml",
        "3-networkpolicy-tiny.yaml",
        "4-job-tiny.yaml",
    ]


def test_a_second_render_replaces_its_own_files(folder):
    render(folder)
    (folder / "job.yaml").write_text(JOB + "network: {policy: false}\n")
    assert render(folder).returncode == 0
    assert names(folder)[2:] == ["2-service-tiny-rdzv.yaml", "3-job-tiny.yaml"]


def test_another_run_has_the_same_files_as_a_kustomization_names_them(folder):
    render(folder)
    before, files = names(folder), folder / "out" / "1-configmap-tiny-files.yaml"
    text = files.read_text()
    assert render(folder, "--set", "max_restarts=1").returncode == 0
    assert names(folder) == before
    assert files.read_text() != text


def test_a_claim_of_a_like_name_keeps_it(folder):
    (folder / "job.yaml").write_text(JOB + "volumes:\n  - {mount: /m, pvc: tiny-files-x, size: 1Gi}\n")
    assert render(folder).returncode == 0
    assert "2-persistentvolumeclaim-tiny-files-x.yaml" in names(folder)


def test_the_apply_order_is_that_of_the_names_with_many_objects(folder):
    claims = "".join(f"  - {{mount: /m{i}, pvc: c{i}, size: 1Gi}}\n" for i in range(8))
    (folder / "job.yaml").write_text(JOB + f"volumes:\n{claims}")
    assert render(folder).returncode == 0
    assert names(folder)[0] == "00-configmap-tiny-config.yaml"
    assert names(folder)[-1] == "12-job-tiny.yaml"


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
