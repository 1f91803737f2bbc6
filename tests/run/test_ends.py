"""How runs begin and end: once, again, fresh, failed, wrong."""

import json
from pathlib import Path

QUICK = "print('hello', flush=True)"
FAILING = """
import os, sys
print("an ordinary line", flush=True)
print("a word of warning", file=sys.stderr)
if os.environ["RANK"] == "1":
    raise ValueError("bad batch")
import time; time.sleep(60)
"""


def test_a_finished_run_ends_with_zero_and_says_so(job, start):
    job(QUICK)
    run = start()
    assert run.end() == 0
    assert "tiny: done in 0:0" in run.lines[-1]


def test_the_plan_is_the_first_line(job, start):
    job(QUICK, nodes=3)
    run = start()
    run.end()
    assert run.lines[0].startswith(
        "tiny: 3 nodes x 1 process on the CPU, 1 thread each; train.py -> output/tiny"
    )


def test_the_same_line_of_two_nodes_appears_once(job, start):
    job(QUICK)
    run = start()
    run.end()
    assert run.text.count("hello") == 1


def test_another_nodes_own_line_names_its_node(job, start):
    job("import os; print('I am', os.environ['RANK'], flush=True)")
    run = start()
    run.end()
    assert {"I am 0", "node 1: I am 1"} <= set(run.lines)


def test_verbose_shows_every_line_with_its_node(job, start):
    job(QUICK)
    run = start("--verbose")
    run.end()
    assert {"node 0: hello", "node 1: hello"} <= set(run.lines)


def test_a_second_run_of_a_finished_job_does_nothing(job, start):
    folder = job(QUICK)
    start().end()
    before = (folder / "output/tiny/done.json").read_bytes()
    run = start()
    assert (run.end(), "this job is done already" in run.text) == (0, True)
    assert (folder / "output/tiny/done.json").read_bytes() == before


def test_a_changed_job_is_not_taken_for_the_finished_one(job, start):
    job(QUICK)
    start().end()
    job(QUICK + "; print('changed')")
    run = start()
    assert run.end() == 0
    assert "another version of this job" in run.text
    assert "changed" in run.lines


def test_fresh_moves_the_old_output_aside(job, start):
    folder = job(QUICK)
    start().end()
    run = start("--fresh")
    assert run.end() == 0
    assert "the earlier output is now output/tiny.1" in run.text
    assert (folder / "output/tiny.1/done.json").is_file()
    assert start("--fresh").end() == 0
    assert (folder / "output/tiny.2/done.json").is_file()


def test_a_failure_ends_with_the_failing_ranks_traceback(job, start):
    folder = job(FAILING, more="max_restarts: 0\n")
    run = start()
    assert run.end() == 1
    tail = run.text[run.text.index("tiny: failed after") :]
    assert "rank 1 on node 1: ValueError: bad batch" in tail
    assert 'raise ValueError("bad batch")' in tail
    assert tail.endswith("full log: output/tiny/logs/node-1.log")
    assert "bad batch" in (folder / "output/tiny/logs/node-1.log").read_text()


def test_a_failures_traceback_is_shown_once(job, start):
    job(FAILING, more="max_restarts: 0\n")
    run = start()
    run.end()
    assert run.text.count("Traceback") == 1


def test_a_failed_run_is_tried_again(job, start):
    folder = job(FAILING, more="max_restarts: 0\n")
    start().end()
    run = start()
    assert run.end() == 1
    assert "the last run failed" in run.text
    assert "trying again from the start" in run.text
    kept = json.loads((folder / "output/tiny/logs/failed-1.json").read_text())
    assert kept["rank"] == 1


def test_wrong_input_is_one_message(job, start):
    job("import sys; print('train.model: there is no such model', file=sys.stderr, flush=True); sys.exit(2)")
    run = start()
    assert run.end() == 2
    assert run.lines[1:] == ["train.model: there is no such model"]


def test_a_missing_module_is_wrong_input(job, folder, start):
    (folder / "job.yaml").write_text("name: tiny\nnodes: 2\nscript: {module: no.such.module}\n")
    run = start()
    assert run.end() == 2
    assert len(run.lines) == 2
    assert run.lines[1].startswith("script.module: no.such.module cannot be imported")


def test_logs_of_a_failed_run_without_output_are_kept(job, folder, start):
    job(FAILING, output=False, more="max_restarts: 0\n")
    run = start()
    assert run.end() == 1
    log = Path(run.lines[-1].removeprefix("full log: "))
    assert "bad batch" in log.read_text()
    assert not (folder / "output").exists()


def test_a_run_in_a_folder_that_is_read_only_is_wrong_input(job, start, monkeypatch):
    folder = job(QUICK)
    (folder / "output").write_text("a file is in the way")
    run = start()
    assert run.end() == 2
    assert "output" in run.lines[-1]
    assert "cannot be written" in run.lines[-1]


def test_two_runs_in_one_output_are_refused(job, start):
    job("import time; print('up', flush=True); time.sleep(60)")
    first = start()
    first.wait_for("up")
    second = start()
    assert second.end() == 2
    assert f"is being written by another run (process {first.process.pid})" in second.text
    first.process.terminate()
    assert first.end() == 143


def test_the_temporary_folder_is_taken_away(job, start, tmp_path):
    job(QUICK)
    start().end()
    assert list((tmp_path / "tmp").glob("rallypoint-tiny-*")) == []
