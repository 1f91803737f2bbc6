"""What each verb prints where, and its exit code."""

import json
from importlib import metadata

import pytest
from ruamel.yaml import YAML

from cli.command import JOB, rallypoint


def documents(text):
    return list(YAML(typ="safe", pure=True).load_all(text))


def test_the_starter_validates(tmp_path):
    assert rallypoint("init", folder=tmp_path).returncode == 0
    found = rallypoint("validate", folder=tmp_path)
    assert (found.returncode, found.stdout) == (0, "mrpc: valid (2 x 1 processes, kind job)\n")


def test_the_starter_renders_once_its_cluster_lines_are_in(tmp_path):
    starter = rallypoint("init", "-").stdout
    for key in ("image", "output", "kind"):
        starter = starter.replace(f"# {key}:", f"{key}:")
    found = rallypoint("render", "-", stdin=starter)
    assert (found.returncode, found.stderr) == (0, "")


def test_init_leaves_an_existing_file_alone(folder):
    found = rallypoint("init", folder=folder)
    assert (found.returncode, (folder / "job.yaml").read_text()) == (2, JOB)
    assert "job.yaml: exists already" in found.stderr


def test_render_prints_objects_and_nothing_else(folder):
    found = rallypoint("render", "job.yaml", folder=folder)
    assert found.returncode == 0
    assert [part["kind"] for part in documents(found.stdout)][-1] == "Job"


@pytest.mark.parametrize(
    "arguments", [["job.yaml"], ["-f", "job.yaml"], ["--filename=job.yaml"], ["-fjob.yaml"], []]
)
def test_a_job_file_is_named_in_any_usual_way(folder, arguments):
    assert rallypoint("render", *arguments, folder=folder).stdout.startswith("---\n")


def test_a_job_comes_from_standard_input(tmp_path):
    assert "ghcr.io/acme/train:1" in rallypoint("render", "-f", "-", folder=tmp_path, stdin=JOB).stdout


@pytest.mark.parametrize(
    ("arguments", "nodes"),
    [
        (["job.yaml", "-f", "more.yaml"], 5),
        (["-f", "more.yaml", "job.yaml"], 2),
        (["-f", "job.yaml", "-f", "more.yaml"], 5),
        (["more.yaml", "job.yaml"], 2),
        (["more.yaml", "job.yaml", "--set", "nodes=7"], 7),
    ],
)
def test_files_are_layered_as_they_are_typed(folder, arguments, nodes):
    (folder / "more.yaml").write_text("nodes: 5\n")
    found = rallypoint("values", *arguments, "-o", "json", folder=folder)
    assert json.loads(found.stdout)["nodes"] == nodes


def test_values_can_be_read_again(folder):
    values = rallypoint("values", "job.yaml", "--set", "nodes=3", folder=folder).stdout
    assert rallypoint("values", "-", stdin=values).stdout == values


def test_a_namespace_on_the_command_line_wins(folder):
    found = rallypoint("render", "-n", "research", folder=folder)
    assert {part["metadata"]["namespace"] for part in documents(found.stdout)} == {"research"}


def test_an_option_is_named_as_it_was_typed_and_is_no_set(folder):
    found = rallypoint("render", "--kind", "pod", "-n", "a,nodes=5", folder=folder)
    assert found.returncode == 2
    kind, namespace = found.stderr.splitlines()
    assert kind.startswith("--kind: must be one of job, ")
    assert namespace.startswith("--namespace: must be ")
    assert "(got 'a,nodes=5')" in namespace


def test_a_key_is_named_beside_an_option_that_is_not_its_own(folder):
    found = rallypoint("render", "--set", "kind=pod", folder=folder)
    assert found.stderr.startswith("--set: kind: must be one of job, ")


def test_a_control_character_in_a_message_is_spelled_out(folder):
    found = rallypoint("validate", "no\x1b[31m.yaml", folder=folder)
    assert found.stderr == "no\\x1b[31m.yaml: no such file; check the path\n"


def test_a_kind_on_the_command_line_wins(folder):
    found = rallypoint("render", "--kind", "PyTorchJob", folder=folder)
    assert documents(found.stdout)[-1]["kind"] == "PyTorchJob"


def test_render_prints_json_on_request(folder):
    found = json.loads(rallypoint("render", "-o", "json", folder=folder).stdout)
    assert (found["kind"], found["items"][-1]["kind"]) == ("List", "Job")


def test_no_file_and_no_job_yaml_is_said(tmp_path):
    found = rallypoint("render", folder=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert "no job file given, and there is no job.yaml in this folder" in found.stderr


def test_a_wrong_spec_is_told_with_its_line_and_ends_with_two(folder):
    (folder / "job.yaml").write_text(JOB + "nodez: 3\n")
    found = rallypoint("render", folder=folder)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("job.yaml:5: nodez: ")


def test_validate_tells_all_problems_as_json(folder):
    (folder / "job.yaml").write_text(JOB + "nodez: 3\nnodesel: 3\n")
    found = rallypoint("validate", "-o", "json", folder=folder)
    answer = json.loads(found.stdout)
    assert (found.returncode, answer["valid"]) == (2, False)
    assert [(problem["line"], problem["key"]) for problem in answer["problems"]] == [
        (5, "nodez"),
        (6, "nodesel"),
    ]


def test_validate_says_what_only_a_cluster_misses(folder):
    (folder / "job.yaml").write_text(JOB.replace("image: ghcr.io/acme/train:1\n", ""))
    found = rallypoint("validate", folder=folder)
    assert found.returncode == 0
    assert "notice: fine for run, not for a cluster: job.yaml:1: image: " in found.stderr


def test_a_traceback_is_shown_only_with_debug(folder):
    (folder / "job.yaml").write_text("nodes: none\n")
    assert "Traceback" not in rallypoint("validate", folder=folder).stderr
    assert "Traceback" in rallypoint("validate", "--debug", folder=folder).stderr


def test_schema_is_json_schema():
    assert "nodes" in json.loads(rallypoint("schema").stdout)["properties"]


def test_version_is_the_packages():
    assert rallypoint("version").stdout == f"rallypoint {metadata.version('rallypoint')}\n"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["rendr"], "render"), (["render", "--kindd", "x"], "--kind"), (["run", "--fresch"], "--fresh")],
)
def test_a_misspelt_word_ends_with_two_and_a_suggestion(arguments, meant):
    found = rallypoint(*arguments)
    assert (found.returncode, found.stdout) == (2, "")
    assert meant in found.stderr.splitlines()[-1]


def test_the_typed_api_is_the_packages():
    import rallypoint.render  # binds a folder of the same name
    from rallypoint import Job, load, render
    from rallypoint.render import render as function

    assert render is function
    assert rallypoint.__version__ == metadata.version("rallypoint")
    assert (Job.__name__, callable(load)) == ("Job", True)
