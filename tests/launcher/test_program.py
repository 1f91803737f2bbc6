"""The wrapper around a script: what the script finds, how it ends, what is recorded."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import OUR_OWN

PROGRAM = Path(__file__).parents[2] / "generator" / "rallypoint" / "launcher" / "program.py"


@pytest.fixture
def run(tmp_path):
    """Runs a script's text, or with `module` a module, under the wrapper."""

    def run_program(text, *arguments, module="", seconds=60, **environment):
        path = tmp_path / "train.py"
        path.write_text(text)
        what = ["-m", module] if module else [str(path)]
        files = {"TORCHELASTIC_ERROR_FILE": str(tmp_path / "error.json"), "WORLD_SIZE": "1"}
        return subprocess.run(
            [sys.executable, "-u", str(PROGRAM), *what, *arguments],
            cwd=tmp_path,
            env={**os.environ, **files, **environment},
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    return run_program


def test_arguments_arrive_as_they_were_written(run):
    arguments = ["--x", "$(X)", "{{ x }}", "a: b", "q\"uo'tes", "two\nlines", "\U0001f600", "", " "]
    found = run("import json, sys; print(json.dumps(sys.argv[1:]))", *arguments)
    assert json.loads(found.stdout) == arguments


def test_a_script_finds_its_own_folder_first_in_the_path(run, tmp_path):
    assert run("import sys; print(sys.path[0])").stdout.strip() == str(tmp_path)


@pytest.mark.parametrize("wrapper", [[], [str(PROGRAM)]], ids=["plain", "wrapped"])
def test_the_trainer_finds_its_libraries_whatever_lies_in_the_jobs_folder(tmp_path, wrapper):
    for whose in ("library", "job"):
        (tmp_path / whose).mkdir()
        (tmp_path / whose / "datasets.py").write_text(f"WHOSE = {whose!r}")
    (tmp_path / "library" / "probe.py").write_text("import datasets; print(datasets.WHOSE)")
    found = subprocess.run(
        [*OUR_OWN, *wrapper, "-m", "probe"],
        cwd=tmp_path / "job",
        env={**os.environ, "PYTHONPATH": str(tmp_path / "library")},
        capture_output=True,
        text=True,
    )
    assert found.stdout == "library\n", found.stderr


def test_a_script_is_main(run, tmp_path):
    found = run("import sys; print(__name__, __file__, sys.modules['__main__'].__file__, sys.argv[0])")
    assert found.stdout.split() == ["__main__", *[str(tmp_path / "train.py")] * 3]


def test_a_script_may_import_what_lies_beside_it_whatever_its_name(run, tmp_path):
    (tmp_path / "job.py").write_text("name = 'mine'")
    assert run("import job; print(job.name)").stdout.strip() == "mine"


def test_a_module_is_run_from_the_workdir(run, tmp_path):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "go.py").write_text(
        "import sys; print(__name__, __package__, sys.argv[1:], sys.path[0])"
    )
    assert run("", "--x", module="pkg.go").stdout.strip() == f"__main__ pkg ['--x'] {tmp_path}"


def test_a_package_is_run_by_its_main(run, tmp_path):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "__main__.py").write_text("from . import __name__ as whose; print('main of', whose)")
    assert run("", module="pkg").stdout.strip() == "main of pkg"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 0),
        ("raise SystemExit", 0),
        ("raise SystemExit(7)", 7),
        ("raise SystemExit('no data')", 1),
        ("import sys; sys.exit(143)", 143),
        ("import argparse; argparse.ArgumentParser().parse_args(['--what'])", 2),
        ("raise ValueError('bad')", 1),
        ("raise KeyboardInterrupt", 1),
        ("this is no python", 1),
    ],
)
def test_the_exit_code_is_that_of_the_script(run, text, code):
    assert run(text).returncode == code


def test_an_exception_is_recorded_as_torchelastic_does(run, tmp_path):
    run("def f():\n    raise ValueError('bad batch')\nf()")
    recorded = json.loads((tmp_path / "error.json").read_text())["message"]
    assert recorded["message"] == "ValueError: bad batch"
    assert "train.py" in recorded["extraInfo"]["py_callstack"]


def test_the_traceback_shows_the_script_and_nothing_of_the_wrapper(run):
    shown = run("def f():\n    raise ValueError('bad batch')\nf()").stderr
    assert shown.startswith("Traceback (most recent call last):")
    assert shown.strip().endswith("ValueError: bad batch")
    assert "program.py" not in shown


def test_what_the_script_recorded_itself_stays(run, tmp_path):
    run("import os; open(os.environ['TORCHELASTIC_ERROR_FILE'], 'w').write('{}'); raise ValueError")
    assert (tmp_path / "error.json").read_text() == "{}"


def test_exit_handlers_and_threads_run_before_the_end(run):
    text = """
import atexit, threading, time
atexit.register(print, 'handler')
threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()
print('main', end=' ')
"""
    assert run(text).stdout.split() == ["main", "thread", "handler"]


@pytest.mark.parametrize("what", [("train.py",), ("-m", "nowhere.at.all")], ids=str)
def test_a_script_that_is_not_there_ends_with_2_and_one_line(tmp_path, what):
    found = subprocess.run(
        [sys.executable, str(PROGRAM), *what], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert found.returncode == 2
    assert found.stderr.startswith("script")
    assert len(found.stderr.splitlines()) == 1


def test_a_rank_that_is_not_the_nodes_ends_with_1(run):
    found = run("print('never')", RALLYPOINT_NODE_INDEX="1", GROUP_RANK="0")
    assert (found.returncode, found.stdout) == (1, "")
    assert "node 1 was given the place of node 0" in found.stderr


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_multiprocessing_finds_the_scripts_functions(run, method):
    text = f"""
import multiprocessing
def double(x):
    return 2 * x
if __name__ == "__main__":
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print(pool.map(double, [1, 2]))
"""
    assert run(text).stdout.strip() == "[2, 4]"


def test_importing_nothing_costs_nothing(run):
    text = "import sys; print([name for name in ('torch', 'transformers') if name in sys.modules])"
    assert run(text, WORLD_SIZE="3").stdout.strip() == "[]"
