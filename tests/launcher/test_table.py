"""Who node 0 listens to."""

import documents
from table import SILENT_SECONDS, Table


def message(launcher="a", index=0, run_id="job-1", **more):
    own = {"run_id": run_id, "index": index, "launcher": launcher}
    return {**own, "document": documents.new_document(launcher), **more}


def beat(launcher="a", index=0):
    return message(launcher, index, document=None)


def test_a_document_is_filed_under_its_node():
    table = Table("job-1", 2, 0.0)
    assert table.take(message("a", 1), 0.0) == ""
    assert table.documents[1]["launcher"] == "a"


def test_another_jobs_node_is_told_so():
    assert Table("job-1", 2, 0.0).take(message(run_id="job-2"), 0.0) == "belongs to another job (job-1)"


def test_an_index_that_is_none_of_this_jobs_is_refused():
    assert Table("job-1", 2, 0.0).take(message(index=2), 0.0)


def test_anything_else_is_refused():
    assert Table("job-1", 2, 0.0).take(["GET / HTTP/1.1"], 0.0)


def test_a_new_launcher_takes_its_nodes_place():
    table = Table("job-1", 1, 0.0)
    table.take(message("old"), 0.0)
    assert table.take(message("new"), 1.0) == ""


def test_the_one_before_is_told_that_it_was_replaced():
    table = Table("job-1", 1, 0.0)
    table.take(message("old"), 0.0)
    table.take(message("new"), 1.0)
    assert table.take(message("old"), 2.0) == "replaced"
    assert table.documents[0]["launcher"] == "new"


def test_a_sign_of_life_is_enough_when_there_is_nothing_new():
    table = Table("job-1", 1, 0.0)
    table.take(message("a"), 0.0)
    assert table.take(beat("a"), 20.0) == ""
    assert table.silent(20.0) == set()


def test_a_sign_of_life_of_a_launcher_that_was_replaced_is_told_so():
    table = Table("job-1", 1, 0.0)
    table.take(message("old"), 0.0)
    table.take(message("new"), 1.0)
    assert table.take(beat("old"), 2.0) == "replaced"


def test_a_sign_of_life_of_an_unknown_launcher_is_refused():
    assert Table("job-1", 1, 0.0).take(beat(""), 0.0)


def test_a_node_that_says_nothing_for_a_while_is_silent():
    table = Table("job-1", 2, 0.0)
    table.take(message("a", 1), 10.0)
    assert table.silent(SILENT_SECONDS + 1) == {0}


def test_time_in_which_node_zero_itself_slept_does_not_make_others_silent():
    table = Table("job-1", 1, 0.0)
    table.slept(100.0)
    assert table.silent(100.0) == set()
