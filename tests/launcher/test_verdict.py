"""Why a round ended, and whether that uses up a restart."""

import documents
import verdict


def report(kind="own", what="ValueError: bad", rank=1, step=None, seconds=10.0):
    found = {"node": rank, "rank": rank, "code": 1, "kind": kind, "what": what, "step": step}
    return {**found, "seconds": seconds, "traceback": ""}


def node(round_number=1, found=None, state="ready", step=None, seconds=10.0):
    fields = {"round": round_number, "report": found, "step": step, "seconds": seconds}
    return {**documents.new_document(f"launcher-{id(found)}", state), **fields}


def entry(round_number, counts=True, used=1, *, sign=("bad", 3), step=None, seconds=10.0):
    found = {"round": round_number, "counts": counts, "used": used, "text": "bad", "sign": list(sign)}
    return {**found, "step": step, "seconds": seconds, "report": None}


def test_before_the_first_round_there_is_no_incident():
    assert verdict.incident([node(0), node(0)], 0, []) is None


def test_a_failure_of_launchers_that_are_all_still_there_counts():
    found = verdict.incident([node(), node(found=report())], 2, [])
    assert (found["counts"], found["used"]) == (True, 3)


def test_a_new_launcher_means_a_lost_node_which_is_free():
    found = verdict.incident([node(found=report("peer")), node(0)], 2, [])
    assert (found["counts"], found["used"], found["text"]) == (False, 2, "node 1 was lost")


def test_a_lost_node_is_free_even_when_a_rank_elsewhere_failed_of_its_own():
    assert not verdict.incident([node(found=report("own")), node(0)], 0, [])["counts"]


def test_a_member_that_had_not_heard_of_the_round_is_not_lost():
    documents = [node(found=report("own")), node(0)]
    found = verdict.incident(documents, 0, [document["launcher"] for document in documents])
    assert (found["counts"], found["text"]) == (True, "rank 1 on node 1: ValueError: bad")


def test_a_node_that_left_after_a_save_was_preempted():
    found = verdict.incident([node(found=report("saved")), node(0)], 0, [])
    assert found["text"] == "node 1 was preempted, after a save"


def test_a_stop_after_a_save_of_launchers_still_there_is_free():
    assert not verdict.incident([node(found=report("saved")), node()], 0, [])["counts"]


def test_a_round_that_ended_without_any_report_is_free():
    assert not verdict.incident([node(), node()], 0, [])["counts"]


def test_the_rank_that_failed_of_its_own_is_blamed_before_those_that_lost_it():
    first = verdict.first_failure(
        [report("peer", rank=0, seconds=1.0), None, report("own", rank=2, seconds=1.2)]
    )
    assert first["rank"] == 2


def test_of_two_own_failures_the_earlier_one_is_blamed():
    first = verdict.first_failure([report(rank=0, seconds=9.0), report(rank=3, seconds=8.5)])
    assert first["rank"] == 3


def test_an_out_of_memory_kill_is_blamed_before_an_exception():
    assert verdict.first_failure([report("own", rank=0), report("oom", rank=1, seconds=99.0)])["rank"] == 1


def test_the_same_words_with_other_numbers_are_the_same_failure():
    one, other = report(what="KeyError: 17", step=4), report(what="KeyError: 18", step=4)
    assert verdict.sign(one, 1) == verdict.sign(other, 2)


def test_the_same_words_at_another_step_are_another_failure():
    assert verdict.sign(report(step=4), 1) != verdict.sign(report(step=5), 2)


def test_without_a_step_the_same_words_in_the_first_minute_are_the_same_failure():
    assert verdict.sign(report(seconds=5.0), 1) == verdict.sign(report(seconds=50.0), 2)


def test_without_a_step_the_same_words_much_later_are_another_failure():
    assert verdict.sign(report(seconds=500.0), 1) != verdict.sign(report(seconds=500.0), 2)


def test_the_same_failure_three_times_is_hopeless():
    assert verdict.hopeless([entry(n, used=n) for n in (1, 2, 3)], 10).startswith(
        "the same failure 3 times in a row"
    )


def test_the_same_failure_twice_is_not():
    assert verdict.hopeless([entry(1), entry(2, used=2)], 10) == ""


def test_a_lost_node_in_between_does_not_hide_the_same_failure():
    ledger = [entry(1), entry(2, used=2), entry(3, counts=False, used=2), entry(4, used=3)]
    assert verdict.hopeless(ledger, 10)


def test_as_many_failures_as_restarts_are_not_hopeless():
    assert verdict.hopeless([entry(1, sign=("a", 1)), entry(2, used=2, sign=("b", 1))], 2) == ""


def test_one_failure_more_is():
    ledger = [entry(n, used=n, sign=(str(n), 1)) for n in (1, 2, 3)]
    assert verdict.hopeless(ledger, 2) == "failed 3 times, max_restarts 2 used up; last: bad"


def test_ten_free_rounds_without_a_step_forward_are_hopeless():
    assert "no step forward in 10 rounds" in verdict.hopeless(
        [entry(n, False, 0, step=7) for n in range(1, 11)], 3
    )


def test_ten_free_rounds_with_progress_are_not():
    assert verdict.hopeless([entry(n, False, 0, step=7 + n) for n in range(1, 11)], 3) == ""


def test_ten_long_rounds_of_a_program_that_tells_no_step_are_not():
    assert verdict.hopeless([entry(n, False, 0, seconds=3600.0) for n in range(1, 11)], 3) == ""


def test_an_incident_is_entered_once_however_often_it_is_judged():
    assert verdict.with_incident([entry(3)], entry(3)) == [entry(3)]


def test_only_the_last_incident_travels_with_its_traceback():
    said = {**entry(1), "report": {**report(), "traceback": "Traceback"}}
    ledger = verdict.with_incident([said], {**said, "round": 2})
    assert [one["report"]["traceback"] for one in ledger] == ["", "Traceback"]


def test_a_rank_that_failed_is_blamed_before_one_that_stopped_after_a_save():
    assert verdict.first_failure([report("saved", rank=0), report("own", rank=1)])["rank"] == 1


def test_a_long_ledger_forgets_its_beginning_but_not_the_sum():
    ledger = []
    for n in range(1, 100):
        ledger = verdict.with_incident(ledger, entry(n, used=n))
    assert (len(ledger), documents.used(ledger)) == (verdict.KEPT, 99)


def test_the_ledger_with_the_later_incident_is_kept():
    assert documents.longer([entry(1), entry(2)], [entry(5)]) == [entry(5)]


def test_what_has_not_the_shape_of_a_document_is_refused():
    assert not documents.is_document({**documents.new_document("x"), "round": "1"})


def test_a_document_is_taken():
    assert documents.is_document(documents.new_document("x"))
