"""Wrong input on one rank or on all: every rank ends with 2 at once, one message says what to do."""

from __future__ import annotations

import pytest


def ends_with_2(job, text: str):
    ended = job.run(60)
    assert ended.codes == [2] * len(ended.codes), (ended.codes, ended.stderr)
    assert [line for line in ended.stderr.splitlines() if text in line] == ended.stderr.splitlines() != []
    assert all(text in message for message in ended.errors.values())
    assert sorted(ended.errors) == list(range(len(ended.codes)))
    assert ended.stderr.count("\n") == 1
    return ended


def test_a_missing_file_is_named_once(make_job):
    job = make_job()
    job.train["dataset"]["data_files"]["train"] = "/nowhere/x.jsonl"
    ends_with_2(job, "train.dataset.data_files.train: no such file ('/nowhere/x.jsonl'")


def test_another_version_of_the_contract_asks_for_another_image(make_job):
    job = make_job()
    job.document["version"] = 2
    ends_with_2(job, "rebuild the image")


def test_a_broken_line_is_named(make_job):
    job = make_job()
    path = job.folder / "train.jsonl"
    lines = path.read_text().splitlines()
    lines[16] = lines[16][:-5]
    path.write_text("\n".join(lines))
    ends_with_2(job, f"{path}:17: no valid JSON")


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_text_in_latin_1_is_named(make_job, ending):
    job = make_job()
    path = job.folder / f"latin.{ending}"
    lines = {
        "jsonl": [b'{"text": "plain", "label": 0}', b'{"text": "caf\xe9 one", "label": 1}'],
        "csv": [b"text,label", b"caf\xe9 one,1"],
    }[ending]
    path.write_bytes(b"\n".join(lines) + b"\n")
    job.train["dataset"]["data_files"] = {"train": str(path)}
    ends_with_2(job, f"train.dataset.data_files: {path}:2: no UTF-8 (byte 0xe9); mend the file")


def test_an_unknown_argument_gets_a_suggestion(make_job):
    ends_with_2(make_job(learning_rat=1), "learning_rat: unknown argument (1); did you mean 'learning_rate'?")


def test_an_output_that_cannot_be_written_is_named(make_job):
    job = make_job()
    job.document["output"] = "/proc/nowhere"
    ends_with_2(job, "output: cannot be written ('/proc/nowhere'")


def test_a_smaller_world_than_the_job_says_is_refused(make_job):
    job = make_job()
    job.environment["WORLD_SIZE"] = "1"
    ends_with_2(job, "world: 1 processes were started (WORLD_SIZE), the job says 2 nodes x 1 = 2")


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("lr_scheduler_kwargs", {"nosuch": 1}),
        ("optim_args", "nosuch"),
        ("optim", "adamw_8bit"),
        ("report_to", "wandb"),
    ],
)
def test_an_argument_that_a_library_refuses_is_named(make_job, argument, value):
    ends_with_2(make_job(**{argument: value}), f"train.training_args.{argument}")
