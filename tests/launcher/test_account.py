"""What a process's end is called, and the words for it."""

import account
import pytest

TRACEBACK = """[rank1]: Traceback (most recent call last):
[rank1]:   File "train.py", line 3, in <module>
[rank1]: ValueError: bad batch
"""


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (2, "", "input"),
        (143, "", "saved"),
        (1, "RuntimeError: [gloo] Connection closed by peer [10.0.0.1]:4711", "peer"),
        (1, "torch.distributed.DistBackendError: NCCL error", "peer"),
        (1, "ValueError: bad batch", "own"),
        (-6, "terminate called ... Connection reset by peer", "peer"),
        (-11, "Connection closed by peer", "own"),
        (3, "Connection closed by peer", "own"),
    ],
)
def test_the_kind_follows_from_the_code_and_the_words(code, text, kind):
    assert account.kind_of(code, text, final=False, for_memory=False) == kind


def test_a_kill_that_the_kernel_counted_is_for_memory():
    assert account.kind_of(-9, "", final=False, for_memory=True) == "oom"


def test_the_error_line_of_stderr_is_found_behind_ranks_prefix():
    assert account.told_by_stderr("step 1\n" + TRACEBACK).message == "ValueError: bad batch"


def test_the_traceback_is_kept_without_the_prefix():
    assert account.told_by_stderr("step 1\n" + TRACEBACK).traceback.startswith("Traceback")


def test_without_an_error_line_the_last_line_is_told():
    assert account.told_by_stderr("one\nkilled by the operator\n\n").message == "killed by the operator"


def test_an_empty_stderr_tells_nothing():
    assert account.told_by_stderr("\n") is None


def test_the_error_file_of_torchelastic_is_read():
    told = account.told_in({"message": {"message": "E: x", "extraInfo": {"py_callstack": "stack"}}})
    assert (told.message, told.traceback, told.final) == ("E: x", "stack", False)


@pytest.mark.parametrize("content", [None, [], {}, {"other": 1}, "text"])
def test_what_is_no_error_file_is_passed_over(content):
    assert account.told_in(content) is None


@pytest.mark.parametrize("text", ['{"message"', '{"message":' * 5000], ids=["cut", "depth"])
def test_a_broken_error_file_is_passed_over(tmp_path, text):
    (tmp_path / "error.json").write_text(text)
    assert account.told_by_file(tmp_path / "error.json") is None


def test_a_signal_has_its_name():
    assert account.words(-11, None) == "killed by SIGSEGV"


def test_a_code_without_words_is_told_as_it_is():
    assert account.words(3, None) == "ended with 3"
