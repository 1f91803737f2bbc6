"""What a launcher does before it meets anybody: contract, markers, output, script."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from launcher.network import free_port
from launcher.pod import LAUNCHER


@pytest.fixture
def contract(tmp_path):
    """Writes a contract of one node with a script that says hello; returns its path."""
    (tmp_path / "hello.py").write_text("print('hello')")

    def write(**changes):
        fields = {
            "version": 1,
            "name": "one",
            "nodes": 1,
            "nproc_per_node": 1,
            "endpoint": f"127.0.0.1:{free_port()}",
            "rendezvous_timeout_seconds": 20,
            "max_restarts": 0,
            "grace_period_seconds": 8,
            "output": str(tmp_path / "output"),
            "workdir": str(tmp_path),
            "script": {"file": "hello.py"},
        }
        path = tmp_path / "contract.json"
        path.write_text(json.dumps({**fields, **changes}))
        return path

    return write


@pytest.fixture
def launch(tmp_path):
    """Runs one launcher to its end."""

    def run(path, index="0", typed=""):
        log = {"RALLYPOINT_TERMINATION_LOG": str(tmp_path / "termination")}
        node = {} if index is None else {"RALLYPOINT_NODE_INDEX": index}
        return subprocess.run(
            [sys.executable, "-u", str(LAUNCHER), str(path)],
            env={**os.environ, **log, **node},
            input=typed,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


def run_id_of(tmp_path):
    return json.loads((tmp_path / "output" / "done.json").read_text())["run_id"]


@pytest.mark.parametrize("text", [None, "{oops", '{"version": 99}', '{"version": 1}', "[]"], ids=str)
def test_a_bad_contract_ends_with_2_in_one_line(launch, tmp_path, text):
    path = tmp_path / "contract.json"
    if text is not None:
        path.write_text(text)
    found = launch(path)
    assert found.returncode == 2
    assert len(found.stderr.splitlines()) == 1
    assert str(path) in found.stderr
    assert json.loads((tmp_path / "termination").read_text())["code"] == 2


def test_a_missing_node_index_ends_with_2_in_one_line(launch, contract):
    found = launch(contract(), index=None)
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1)


def test_the_first_line_says_who_this_is(launch, contract):
    first = launch(contract(nproc_per_node=2)).stderr.splitlines()[0]
    assert "ranks 0-1 of 2, node 0 of 1 on " in first
    assert "round 0" in first


def test_a_finished_run_is_not_run_again(launch, contract):
    path = contract()
    assert "hello" in launch(path).stdout
    again = launch(path)
    assert (again.returncode, again.stdout) == (0, "")
    assert "this run is done already" in again.stderr


def test_a_failed_run_ends_with_its_code_again(launch, contract, tmp_path):
    (tmp_path / "hello.py").write_text("raise SystemExit(2)")
    path = contract()
    assert launch(path).returncode == 2
    (tmp_path / "hello.py").write_text("print('hello')")
    again = launch(path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "this run has failed already" in again.stderr
    assert "take the marker away to try it again" in again.stderr


def test_the_marker_of_another_run_is_moved_aside_and_does_not_stop_this_one(launch, contract, tmp_path):
    launch(contract())
    before = run_id_of(tmp_path)
    found = launch(contract(script={"file": "hello.py", "args": ["again"]}))
    assert "hello" in found.stdout
    assert run_id_of(tmp_path) != before
    assert len(list((tmp_path / "output").glob(f"done-{before}-*.json"))) == 1


def test_a_half_written_marker_is_moved_aside(launch, contract, tmp_path):
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "done.json").write_text('{"run_id": "one-')
    assert "hello" in launch(contract()).stdout
    assert len(list((tmp_path / "output").glob("done-damaged-*.json"))) == 1


def test_a_finished_statefulset_pod_idles_until_it_is_stopped_and_ends_with_0(launch, contract, tmp_path):
    launch(contract())
    path = contract(idle_when_done=True)
    idle = subprocess.Popen(
        [sys.executable, "-u", str(LAUNCHER), str(path)],
        env={**os.environ, "RALLYPOINT_NODE_INDEX": "0"},
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = [idle.stderr.readline() for _ in range(3)]
    assert "idle until this pod is stopped" in lines[2]
    idle.send_signal(signal.SIGTERM)
    assert idle.wait(10) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_an_output_that_is_another_users_ends_with_2_and_names_both(contract, tmp_path):
    become = "import os, sys; sys.path.insert(0, sys.argv[1]); import launch, encodings.idna\n"
    become += "os.setgroups([]); os.setresgid(*[65534] * 3); os.setresuid(*[65534] * 3)\n"
    become += "os._exit(launch.launch(sys.argv[2:]))"
    for folder in [tmp_path, *tmp_path.parents][:4]:
        folder.chmod(0o755)
    (tmp_path / "output").mkdir(mode=0o755)
    found = subprocess.run(
        [sys.executable, "-c", become, str(LAUNCHER), str(contract())],
        env={**os.environ, "RALLYPOINT_NODE_INDEX": "0"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.returncode == 2
    assert f"cannot write to {tmp_path / 'output'} (Permission denied)" in found.stderr
    assert "this is uid 65534, gid 65534" in found.stderr
    assert "belongs to uid 0, gid 0, mode 0755" in found.stderr


def test_an_output_below_a_file_ends_with_2(launch, contract, tmp_path):
    (tmp_path / "file").write_text("")
    found = launch(contract(output=str(tmp_path / "file" / "one")))
    assert found.returncode == 2
    assert "output: cannot write to" in found.stderr


def test_a_script_that_has_changed_since_ends_with_2(launch, contract):
    found = launch(contract(files={"hello.py": "0" * 64}))
    assert found.returncode == 2
    assert "hello.py has changed since the job was made" in found.stderr


def test_an_inline_script_lies_beside_the_contract(launch, contract, tmp_path):
    (tmp_path / "script").mkdir()
    (tmp_path / "script" / "inline.py").write_text("import sys; print('inline', sys.argv[1:])")
    found = launch(contract(script={"inline": True, "args": ["a b"]}))
    assert found.stdout == "inline ['a b']\n"


def test_a_module_is_found_in_the_workdir(launch, contract):
    assert launch(contract(script={"module": "hello"})).stdout == "hello\n"


def test_a_missing_workdir_ends_with_2(launch, contract, tmp_path):
    found = launch(contract(workdir=str(tmp_path / "nowhere")))
    assert found.returncode == 2
    assert "workdir: there is no folder" in found.stderr


def test_without_an_output_there_are_no_markers_and_it_still_ends_with_0(launch, contract, tmp_path):
    assert launch(contract(output=None)).returncode == 0
    assert not (tmp_path / "output").exists()


def test_the_output_folder_is_told_to_the_script(launch, contract, tmp_path):
    (tmp_path / "hello.py").write_text("import os; print(os.environ['RALLYPOINT_OUTPUT_DIR'])")
    assert launch(contract()).stdout.strip() == str(tmp_path / "output")


def test_the_usual_end_leaves_nothing_in_the_log_but_the_launchers_own_lines(launch, contract):
    lines = launch(contract()).stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("[rallypoint ") for line in lines)


def test_what_two_processes_say_at_once_is_never_mixed_within_a_line(launch, contract, tmp_path):
    (tmp_path / "hello.py").write_text(
        "import os, sys\nfor n in range(300):\n"
        "    os.write(1, b'%d-' % n)\n    os.write(1, os.environ['RANK'].encode() * 50 + b'\\n')"
    )
    lines = launch(contract(nproc_per_node=2)).stdout.splitlines()
    assert sorted(lines) == sorted(f"{n}-{rank * 50}" for n in range(300) for rank in "01")


def test_an_unfinished_line_is_passed_on_too(launch, contract, tmp_path):
    (tmp_path / "hello.py").write_text("import sys; sys.stdout.write('50%'); sys.stdout.flush()")
    assert launch(contract()).stdout == "50%"


def test_the_processes_have_nothing_to_read(launch, contract, tmp_path):
    (tmp_path / "hello.py").write_text("import sys; print(repr(sys.stdin.read()))")
    assert launch(contract(), typed="typed").stdout == "''\n"


def test_a_signal_before_anything_runs_ends_with_143(contract, tmp_path):
    path = contract(nodes=2, endpoint=f"127.0.0.1:{free_port()}")
    process = subprocess.Popen(
        [sys.executable, "-u", str(LAUNCHER), str(path)],
        env={**os.environ, "RALLYPOINT_NODE_INDEX": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    at = time.monotonic()
    assert process.wait(10) == 143
    assert time.monotonic() - at < 3


def test_the_launcher_needs_the_standard_library_alone():
    found = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(LAUNCHER)!r}); import launch",
        ],
        capture_output=True,
        text=True,
    )
    assert found.stderr == ""


def test_no_file_of_the_launcher_hides_one_of_the_standard_library():
    names = {path.stem for path in Path(LAUNCHER).glob("*.py")} - {"__main__"}
    assert names & set(sys.stdlib_module_names) == set()
