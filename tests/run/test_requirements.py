"""What is refused before anything starts: too many processes, missing files, scripts that are no Python."""

import pytest

from rallypoint.errors import InputError, SpecError
from rallypoint.loading import load
from rallypoint.run import requirements
from rallypoint.run.environment import cores
from rallypoint.run.requirements import require_libraries, require_room, require_sound_input

TRAIN = "name: a\ntrain:\n  task: text-classification\n  model: {model}\n  dataset: {dataset}\n"
FILES = "{data_files: {train: train.jsonl, validation: [a.jsonl, train.jsonl]}}"


@pytest.fixture
def loaded(tmp_path):
    def load_text(text):
        (tmp_path / "job.yaml").write_text(text)
        return load([tmp_path / "job.yaml"])

    return load_text


def refusals(job):
    with pytest.raises(SpecError) as error:
        require_sound_input(job)
    return [(problem.line, problem.key, problem.text) for problem in error.value.problems]


def test_missing_data_files_are_named_with_their_line(loaded, tmp_path):
    (tmp_path / "train.jsonl").write_text("{}\n")
    found = refusals(loaded(TRAIN.format(model="bert", dataset=FILES)))
    assert found == [
        (
            5,
            "train.dataset.data_files.validation",
            f"no such file (got 'a.jsonl', looked in {tmp_path}); check the path",
        )
    ]


def test_a_missing_model_folder_is_named_with_its_line(loaded, tmp_path):
    found = refusals(loaded(TRAIN.format(model="../nowhere", dataset="{path: nyu-mll/glue}")))
    assert [item[:2] for item in found] == [(4, "train.model")]


@pytest.mark.parametrize(
    "dataset",
    ["{path: owner/set, data_files: x.csv}", "{data_files: 'https://x/y.csv'}", "{data_files: '*.csv'}"],
)
def test_what_may_lie_elsewhere_is_left_to_the_trainer(loaded, dataset):
    assert require_sound_input(loaded(TRAIN.format(model="owner/model", dataset=dataset))) is None


def test_a_script_that_is_no_python_is_refused(loaded):
    ((_, key, text),) = refusals(loaded('name: a\nscript: {inline: "print("}\n'))
    assert (key, text.startswith("is no Python that")) == ("script.inline", True)


def test_far_too_many_processes_are_refused_with_what_would_fit(loaded):
    most = 64 * cores()
    text = "name: a\nscript: {{module: x}}\nnodes: {}\n"
    assert require_room(loaded(text.format(most)).job) is None
    with pytest.raises(InputError, match=rf"at most {most}\); run fewer here: --set nodes={cores()}"):
        require_room(loaded(text.format(most + 1)).job)


def test_a_folder_in_place_of_a_file_is_called_one(loaded, tmp_path):
    (tmp_path / "data").mkdir()
    [(_, key, text)] = refusals(loaded(TRAIN.format(model="bert", dataset="{data_files: data/}")))
    assert (key, text) == (
        "train.dataset.data_files",
        "a folder (got 'data/'), not a file; name the files in it, as in data/*.jsonl",
    )


def test_libraries_that_are_not_installed_are_named_with_the_command(loaded, monkeypatch):
    monkeypatch.setattr(requirements, "find_spec", lambda name: None if name == "torch" else object())
    with pytest.raises(InputError, match=r"^train: needs torch here, not installed; run: pip install "):
        require_libraries(loaded(TRAIN.format(model="bert", dataset="{path: x}")).job)
    require_libraries(loaded("name: a\nscript: {module: x}\n").job)
