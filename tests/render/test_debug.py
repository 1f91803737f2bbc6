"""`debug: true` is the same in a pod and on this machine: the launcher, no package, has a list of its own."""

from processes import DEBUG as HERE

from rallypoint.podview.environment import DEBUG as IN_PODS


def test_the_launcher_sets_what_pods_have_but_for_a_place_in_the_pod():
    there = {name: value for name, value in IN_PODS.items() if not value.startswith("/")}
    assert there == HERE
    assert set(IN_PODS) - set(HERE) == {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}
