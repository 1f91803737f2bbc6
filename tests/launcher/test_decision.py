"""The plan that follows from the plan before and from what the nodes say."""

import documents
from decision import Limits, decide

LIMITS = Limits(max_restarts=3, rendezvous_timeout_seconds=60.0)
NOBODY = set()


def node(launcher="a", state="ready", round_number=0, kind=None, rank=0, *, ledger=()):
    found = None
    if kind:
        found = {"node": rank, "rank": rank, "code": 1, "kind": kind, "what": "bad", "step": 3}
        found |= {"seconds": 1.0, "traceback": "Traceback"}
    fields = {"round": round_number, "report": found, "ledger": list(ledger)}
    return {**documents.new_document(launcher, state), **fields}


def gathering():
    return documents.first_plan(0.0)


def running(round_number=1, members=("a", "b")):
    return {**gathering(), "phase": "run", "round": round_number, "members": list(members)}


def test_all_ready_begins_the_first_round():
    plan = decide(LIMITS, gathering(), [node("a"), node("b")], NOBODY, 1.0)
    assert (plan["phase"], plan["round"], plan["members"]) == ("run", 1, ["a", "b"])


def test_a_node_that_is_not_there_is_waited_for_by_name():
    plan = decide(LIMITS, gathering(), [node("a"), documents.absent()], NOBODY, 1.0)
    assert (plan["phase"], plan["missing"]) == ("gather", [1])


def test_a_silent_node_is_missing_whatever_it_said_last():
    assert decide(LIMITS, gathering(), [node("a"), node("b")], {1}, 1.0)["missing"] == [1]


def test_a_gathering_that_takes_too_long_ends_with_143_and_names_who_is_missing():
    plan = decide(LIMITS, gathering(), [node("a"), documents.absent()], NOBODY, 61.0)
    assert (plan["code"], plan["text"]) == (143, "node 1 did not come within 60 s; 1 of 2 nodes waited")


def test_all_done_ends_with_0():
    done = [node("a", "done", 1), node("b", "done", 1)]
    assert decide(LIMITS, running(), done, NOBODY, 1.0)["code"] == 0


def test_one_done_and_one_running_goes_on():
    nodes = [node("a", "done", 1), node("b", "running", 1)]
    assert decide(LIMITS, running(), nodes, NOBODY, 1.0) == running()


def test_a_round_that_nobody_has_begun_yet_goes_on():
    nodes = [node("a", "ready", 0), node("b", "running", 1)]
    assert decide(LIMITS, running(), nodes, NOBODY, 1.0) == running()


def test_a_failed_node_ends_the_round_for_all():
    nodes = [node("a", "running", 1), node("b", "ready", 1, "own", 1)]
    assert decide(LIMITS, running(), nodes, NOBODY, 1.0)["phase"] == "gather"


def test_a_new_launcher_ends_the_round_for_all():
    nodes = [node("a", "running", 1), node("new", "ready", 0)]
    assert decide(LIMITS, running(), nodes, NOBODY, 1.0)["phase"] == "gather"


def test_a_leaving_node_that_saved_makes_the_others_patient():
    nodes = [node("a", "running", 1), node("b", "leaving", 1, "saved", 1)]
    assert decide(LIMITS, running(), nodes, NOBODY, 1.0)["patient"]


def test_a_leaving_node_that_did_not_save_makes_nobody_patient():
    nodes = [node("a", "running", 1), node("b", "leaving", 1)]
    plan = decide(LIMITS, running(), nodes, NOBODY, 1.0)
    assert (plan["phase"], plan["patient"]) == ("gather", False)


def test_wrong_input_ends_the_job_with_2_at_once():
    nodes = [node("a", "running", 1), node("b", "ready", 1, "input", 1)]
    plan = decide(LIMITS, running(), nodes, NOBODY, 1.0)
    assert (plan["code"], plan["text"]) == (2, "rank 1 on node 1: bad (step 3)")


def test_a_failure_that_calls_itself_final_is_not_tried_again():
    nodes = [node("a", "running", 1), node("b", "ready", 1, "final", 1)]
    assert decide(LIMITS, running(), nodes, NOBODY, 1.0)["code"] == 1


def test_the_next_round_has_a_higher_number_than_any_node_has_seen():
    nodes = [node("a", "ready", 7), node("b", "ready", 0)]
    assert decide(LIMITS, gathering(), nodes, NOBODY, 1.0)["round"] == 8


def test_a_new_node_zero_learns_the_ledger_from_the_others():
    entry = {"round": 1, "counts": True, "used": 1, "text": "x", "sign": [], "step": None, "seconds": 1.0,
             "report": None}  # fmt: skip
    plan = decide(LIMITS, gathering(), [node("a"), node("b", "ready", 2, ledger=[entry])], NOBODY, 1.0)
    assert documents.used(plan["ledger"]) == 1


def test_a_failure_too_many_ends_with_1_and_the_report_of_the_rank_that_failed():
    limits = Limits(max_restarts=0, rendezvous_timeout_seconds=60.0)
    nodes = [node("a", "ready", 1, "peer"), node("b", "ready", 1, "own", 1)]
    plan = decide(limits, gathering(), nodes, NOBODY, 1.0)
    assert (plan["code"], plan["report"]["rank"], plan["report"]["traceback"]) == (1, 1, "Traceback")


def test_the_end_stays_the_end():
    plan = {**running(), "phase": "end", "code": 0}
    assert decide(LIMITS, plan, [node("new"), node("new")], NOBODY, 1.0) is plan
