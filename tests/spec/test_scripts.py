"""The texts that ship with a job."""

# ruff: noqa: E501 - a case is one line

import os

import pytest

from rallypoint.errors import SpecError
from rallypoint.loading import load, values


@pytest.fixture
def folder(job_file, tmp_path):
    """A folder with train.py and lib/model.py, as the current one."""
    job_file("")
    (tmp_path / "lib").mkdir()
    (tmp_path / "train.py").write_text("import lib.model\n")
    (tmp_path / "lib" / "model.py").write_text("X = 1\n")
    return tmp_path


def job(script):
    return {"name": "a", "script": script}


def test_a_relative_file_and_the_files_beside_it_ship(folder, loaded):
    assert loaded(job({"file": "./train.py", "files": ["lib/model.py"]})).scripts == {
        "train.py": "import lib.model\n",
        "lib/model.py": "X = 1\n",
    }


def test_an_inline_program_ships_as_a_file(loaded):
    assert loaded(job({"inline": "print(1)\n"})).scripts == {"inline.py": "print(1)\n"}


@pytest.mark.parametrize("script", [{"file": "/app/train.py"}, {"module": "pkg.train"}])
def test_what_lies_in_the_image_does_not_ship(loaded, script):
    assert loaded(job(script)).scripts == {}


def test_a_path_begins_in_the_folder_of_the_file_that_named_it(folder, job_file):
    (folder / "team").mkdir()
    (folder / "team" / "train.py").write_text("team\n")
    job_file(job({"file": "train.py"}), "team/base.yaml")
    assert load(["team/base.yaml", job_file("nodes: 2")]).scripts == {"train.py": "team\n"}


def test_the_folder_is_that_of_the_last_file(folder, job_file):
    job_file(job({"module": "x"}), "lib/job.yaml")
    assert load(["lib/job.yaml"]).folder.resolve() == (folder / "lib").resolve()


WRONG = {
    "missing": ("gone.py", "no such file; check the path (got 'gone.py', in "),
    "folder": ("lib", "a folder, not a file; name a file in it (got 'lib', in "),
    "parent": ("../x.py", "must be a path below the job file's folder (got '../x.py'); copy the file there"),
    "colon": (
        "a:b.py",
        "must be a path without ':', which no mount may have (got 'a:b.py'); rename the file",
    ),
    "link": ("link.py", "leads out of the job file's folder (got 'link.py'); copy it there"),
    "binary": ("data.bin", "not UTF-8 text (byte 0xff); save it as UTF-8 (got 'data.bin', in "),
    "large": (
        "large.py",
        "larger than 240 KiB, which is all that a ConfigMap can ship (got 'large.py'); put it into the image or "
        "on a volume, and name it with script.module or an absolute script.file",
    ),
    "credential": (
        "token.py",
        "holds a Hugging Face token (got 'hf_a...', in line 2); read it from env instead",
    ),
}


@pytest.mark.parametrize(("path", "message"), WRONG.values(), ids=WRONG)
def test_a_script_that_cannot_ship_is_answered(folder, refused, path, message):
    (folder / "link.py").symlink_to(os.devnull)
    (folder / "data.bin").write_bytes(b"a\xff")
    (folder / "large.py").write_text("#" * 250_000)
    (folder / "token.py").write_text(f"import x\nx.login('hf_{'a' * 30}')\n")
    (line,) = refused(job({"file": path}))
    assert line.startswith(f"job.yaml:1: script.file: {message}")


def test_a_problem_points_at_the_item(folder, refused):
    lines = refused("name: a\nscript:\n  file: train.py\n  files:\n  - lib/model.py\n  - gone.py\n")
    assert [line.split(": ")[:2] for line in lines] == [["job.yaml:6", "script.files[1]"]]


def test_a_long_inline_program_names_the_limit_and_the_way_out(refused):
    (line,) = refused("name: a\nscript:\n  inline: |\n" + "    x = 1\n" * 60_000)
    assert line == (
        "job.yaml:3: script.inline: has 351 KiB, but a ConfigMap can ship 240 KiB; put it into the image or on a "
        "volume, and name it with script.module or an absolute script.file"
    )


def test_texts_may_stand_in_the_job_itself(loaded):
    assert loaded(job({"file": "train.py", "files": {"train.py": "x\n"}})).scripts == {"train.py": "x\n"}


def test_values_hold_the_texts_so_that_no_file_is_needed(folder, loaded, job_file, tmp_path):
    first = loaded(job({"file": "train.py", "files": ["lib/model.py"]}))
    (folder / "train.py").unlink()
    assert loaded(values(first)).scripts == first.scripts


@pytest.mark.parametrize("file", ["./train.py", "lib//model.py", "lib/./model.py", "inline.py"])
def test_values_name_the_file_as_the_job_does(folder, loaded, file):
    (folder / "inline.py").write_text("print(2)")
    first = loaded(job({"file": file, "files": ["./train.py"]}))
    again = loaded(values(first))
    assert again.scripts == first.scripts
    assert again.job.script.file == file


def test_a_file_in_the_place_of_the_inline_program_is_refused(refused, folder):
    (folder / "inline.py").write_text("print(2)")
    (told,) = refused(job({"inline": "print(1)", "files": ["inline.py"]}))
    assert "script.files[0]: is the same file as 'script.inline' (got 'inline.py'); keep one" in told


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_an_unreadable_file_is_named(job_file, tmp_path):
    (tmp_path / job_file("name: a")).chmod(0)
    with pytest.raises(SpecError, match="cannot be read \\(Permission denied\\)"):
        load(["job.yaml"])
