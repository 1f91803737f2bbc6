"""What must hold on each kind: the table of docs/kinds.md."""

import json

import pytest

from rallypoint.checks import pod_templates
from rallypoint.render import render
from rallypoint.topology import NODE_INDEX_LABELS
from random_specs import KINDS

JOBS = ("job", "jobset", "trainjob")
WORKLOAD = {
    "job": "Job",
    "statefulset": "StatefulSet",
    "pytorchjob": "PyTorchJob",
    "jobset": "JobSet",
    "trainjob": "TrainJob",
}


def job_spec(objects, kind):
    if kind == "job":
        return objects["Job"]["spec"]
    holder = (
        objects["JobSet"]["spec"]
        if kind == "jobset"
        else objects["TrainingRuntime"]["spec"]["template"]["spec"]
    )
    return holder["replicatedJobs"][0]["template"]["spec"]


@pytest.fixture
def template(rendered):
    """The one pod template of a job on a kind."""

    def found(kind, **changes):
        objects = rendered(kind=kind, **changes)
        (pod,) = [pod for item in objects.values() for pod in pod_templates(item)]
        return pod.template

    return found


def test_the_same_job_gives_the_same_bytes(job):
    from rallypoint.render import to_yaml

    assert to_yaml(render(job(), {})) == to_yaml(render(job(), {}))


@pytest.mark.parametrize("kind", KINDS)
def test_objects_come_in_apply_order(job, kind):
    changed = job(kind=kind, output={"pvc": "made", "size": "1Gi"})
    kinds = [item["kind"] for item in render(changed, {})]
    runtime = ["TrainingRuntime"] if kind == "trainjob" else []
    network = ["PersistentVolumeClaim", "Service", "NetworkPolicy"]
    assert kinds == ["ConfigMap", "ConfigMap", *runtime, *network, WORKLOAD[kind]]


@pytest.mark.parametrize("kind", KINDS)
def test_every_object_and_pod_carries_the_owner_label(job, kind):
    objects = render(job(kind=kind), {})
    labels = [item["metadata"]["labels"] for item in objects]
    labels += [pod.labels for item in objects for pod in pod_templates(item)]
    assert {label["rallypoint.dev/job"] for label in labels} == {"mrpc"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_selector_uses_managed_by(job, kind):
    text = str(
        [
            item["spec"].get("selector", item["spec"].get("podSelector"))
            for item in render(job(kind=kind), {})
            if "spec" in item
        ]
    )
    assert "managed-by" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_the_endpoint_selects_node_zero(rendered, kind):
    service = rendered(kind=kind)["Service"]
    assert service["metadata"]["name"] == "mrpc-rdzv"
    assert service["spec"]["selector"] == {"rallypoint.dev/job": "mrpc", NODE_INDEX_LABELS[kind]: "0"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_endpoint_is_headless_and_found_before_it_is_ready(rendered, kind):
    spec = rendered(kind=kind)["Service"]["spec"]
    assert (spec["clusterIP"], spec["publishNotReadyAddresses"]) == ("None", True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_pod_knows_its_index_from_the_kinds_label(template, kind):
    first = template(kind)["spec"]["containers"][0]["env"][0]
    path = f"metadata.labels['{NODE_INDEX_LABELS[kind]}']"
    assert first == {"name": "RALLYPOINT_NODE_INDEX", "valueFrom": {"fieldRef": {"fieldPath": path}}}


@pytest.mark.parametrize("kind", KINDS)
def test_the_launcher_runs_without_a_shell(template, kind):
    command = template(kind)["spec"]["containers"][0]["command"]
    assert command == ["python3", "-u", "/etc/rallypoint/launcher", "/etc/rallypoint/contract.json"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_mesh_is_injected(template, kind):
    metadata = template(kind)["metadata"]
    assert metadata["labels"]["sidecar.istio.io/inject"] == "false"
    assert metadata["annotations"]["sidecar.istio.io/inject"] == "false"


@pytest.mark.parametrize("kind", KINDS)
def test_the_contract_is_immutable_and_first_and_no_pod_mounts_it(job, kind):
    objects = render(job(kind=kind), {})
    assert (objects[0]["kind"], objects[0]["metadata"]["name"]) == ("ConfigMap", "mrpc-config")
    assert objects[0]["immutable"] is True
    assert "mrpc-config" not in json.dumps(objects[1:])


@pytest.mark.parametrize("kind", KINDS)
def test_pods_mount_files_under_a_name_that_no_other_run_has(rendered, template, kind):
    def mounted(**changes):
        files = rendered(kind=kind, **changes)["ConfigMap"]
        volume = next(one for one in template(kind, **changes)["spec"]["volumes"] if one["name"] == "config")
        assert volume["configMap"]["name"] == files["metadata"]["name"]
        assert files["immutable"] is True
        return files["metadata"]["name"]

    names = [mounted(), mounted(nodes=2), mounted(max_restarts=1), mounted(script={"module": "other"})]
    assert len(set(names)) == 4
    assert mounted() == names[0]


@pytest.mark.parametrize("kind", KINDS)
def test_only_stateful_sets_idle_when_done(rendered, kind):
    contract = json.loads(rendered(kind=kind)["ConfigMap"]["data"]["contract.json"])
    assert contract["idle_when_done"] is (kind == "statefulset")


@pytest.mark.parametrize("kind", ["job", "jobset", "trainjob", "pytorchjob"])
def test_suspend_is_written_only_when_it_is_true(rendered, kind):
    def written(suspend):
        spec = rendered(kind=kind, suspend=suspend)[WORKLOAD[kind]]["spec"]
        return spec.get("runPolicy", spec).get("suspend")

    assert (written(True), written(False)) == (True, None)


@pytest.mark.parametrize("kind", KINDS)
def test_the_queue_is_a_label_of_the_workload_alone(rendered, kind):
    objects = rendered(kind=kind, scheduling={"queue": "research", "queue_priority": "high"})
    queued = {k for k, item in objects.items() if "kueue.x-k8s.io/queue-name" in item["metadata"]["labels"]}
    assert queued == {WORKLOAD[kind]}


def test_the_job_template_is_the_very_same_on_three_kinds(rendered):
    def spec(kind):
        found = job_spec(rendered(kind=kind, deadline="1h"), kind)
        text = json.dumps(found)
        return text.replace('"node"', '"trainer"') if kind == "trainjob" else text

    assert spec("job") == spec("jobset") == spec("trainjob")


@pytest.mark.parametrize("kind", JOBS)
def test_all_nodes_run_at_once_with_an_index(rendered, kind):
    spec = job_spec(rendered(kind=kind), kind)
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 3, 3)


@pytest.mark.parametrize("kind", JOBS)
def test_exit_codes_1_and_2_end_the_job_and_143_and_evictions_are_free(rendered, kind):
    rules = job_spec(rendered(kind=kind), kind)["podFailurePolicy"]["rules"]
    codes = [(rule["action"], rule["onExitCodes"]["values"]) for rule in rules if "onExitCodes" in rule]
    conditions = [
        (rule["action"], rule["onPodConditions"][0]["type"]) for rule in rules if "onPodConditions" in rule
    ]
    assert codes == [("FailJob", [1, 2]), ("Ignore", [143])]
    assert conditions == [("Ignore", "DisruptionTarget")]


@pytest.mark.parametrize("kind", JOBS)
def test_exit_codes_are_those_of_the_training_container(rendered, kind):
    spec = job_spec(rendered(kind=kind), kind)
    container = spec["template"]["spec"]["containers"][0]["name"]
    rules = [rule["onExitCodes"] for rule in spec["podFailurePolicy"]["rules"] if "onExitCodes" in rule]
    assert {rule["containerName"] for rule in rules} == {container}


@pytest.mark.parametrize("kind", JOBS)
def test_the_back_off_counts_per_node(rendered, kind):
    spec = job_spec(rendered(kind=kind), kind)
    assert (spec["maxFailedIndexes"], spec["podReplacementPolicy"]) == (0, "Failed")
    assert spec["backoffLimitPerIndex"] >= 1000
    assert "backoffLimit" not in spec


@pytest.mark.parametrize("kind", JOBS)
def test_the_deadline_is_the_jobs(rendered, kind):
    assert job_spec(rendered(kind=kind, deadline="2h"), kind)["activeDeadlineSeconds"] == 7200


@pytest.mark.parametrize("kind", ["job", "jobset"])
def test_the_time_to_live_is_the_workloads(rendered, kind):
    assert rendered(kind=kind, ttl="1h")[WORKLOAD[kind]]["spec"]["ttlSecondsAfterFinished"] == 3600


def test_a_job_set_ends_when_its_job_ends_for_good(rendered):
    spec = rendered(kind="jobset")["JobSet"]["spec"]
    (rule,) = spec["failurePolicy"]["rules"]
    assert (rule["action"], rule["onJobFailureReasons"]) == ("FailJobSet", ["PodFailurePolicy"])
    assert spec["failurePolicy"]["maxRestarts"] == 0
    assert spec["network"] == {"enableDNSHostnames": False}


def test_a_train_job_has_a_runtime_of_its_own(rendered):
    objects = rendered(kind="trainjob")
    runtime = objects["TrainingRuntime"]
    reference = objects["TrainJob"]["spec"]["runtimeRef"]
    assert reference == {
        "apiGroup": "trainer.kubeflow.org",
        "kind": "TrainingRuntime",
        "name": runtime["metadata"]["name"],
    }
    assert runtime["spec"]["mlPolicy"] == {"numNodes": 3, "torch": {}}


def test_the_runtimes_job_carries_the_trainers_label(rendered):
    (job,) = rendered(kind="trainjob")["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]
    assert job["template"]["metadata"]["labels"] == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    assert job["template"]["spec"]["template"]["spec"]["containers"][0]["name"] == "node"


def test_a_pytorch_job_has_workers_alone(rendered):
    spec = rendered(kind="pytorchjob", resources={"gpus": 8})["PyTorchJob"]["spec"]
    assert list(spec["pytorchReplicaSpecs"]) == ["Worker"]
    assert spec["pytorchReplicaSpecs"]["Worker"]["replicas"] == 3
    assert spec["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] == "ExitCode"
    assert spec["nprocPerNode"] == "8"
    assert "elasticPolicy" not in spec


def test_a_pytorch_jobs_policies_are_in_its_run_policy(rendered):
    policy = rendered(kind="pytorchjob", ttl="1h")["PyTorchJob"]["spec"]["runPolicy"]
    assert (policy["cleanPodPolicy"], policy["ttlSecondsAfterFinished"]) == ("Running", 3600)


def test_a_pytorch_jobs_container_and_port_have_the_operators_names(template):
    container = template("pytorchjob")["spec"]["containers"][0]
    assert (container["name"], container["ports"][0]["name"]) == ("pytorch", "pytorchjob-port")


def test_a_stateful_set_starts_all_nodes_at_once_and_replaces_none_by_itself(rendered):
    spec = rendered(kind="statefulset")["StatefulSet"]["spec"]
    assert (spec["podManagementPolicy"], spec["updateStrategy"]) == ("Parallel", {"type": "OnDelete"})
    assert (spec["replicas"], spec["serviceName"]) == (3, "mrpc-rdzv")


@pytest.mark.parametrize("kind", ["pytorchjob", "statefulset"])
def test_the_controller_decides_when_to_restart(template, kind):
    assert "restartPolicy" not in template(kind)["spec"]


def test_the_network_policy_lets_in_the_jobs_own_pods_on_every_port(rendered):
    spec = rendered()["NetworkPolicy"]["spec"]
    own = {"matchLabels": {"rallypoint.dev/job": "mrpc"}}
    assert spec == {
        "podSelector": own,
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [{"podSelector": own}]}],
    }


@pytest.mark.parametrize("network", [{"policy": False}, {"host_network": True}])
def test_there_is_no_network_policy_where_it_is_off_or_would_not_hold(rendered, network):
    assert "NetworkPolicy" not in rendered(network=network)
