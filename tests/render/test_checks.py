"""Each rule on rendered objects can fail, and says nothing about what is sound."""

from copy import deepcopy
from typing import Any

import pytest

from rallypoint.checks import check, pod_templates
from rallypoint.checks.rules import RULES
from render.cases import EVERYTHING, MAXIMAL

NAMES = {rule.__name__.replace("_", "-") for rule in RULES}


@pytest.mark.parametrize("case", EVERYTHING, ids=lambda case: case.id)
def test_what_is_rendered_is_sound(case):
    assert check(case.objects) == []


class Objects:
    """The objects of a maximal fixture, to break."""

    def __init__(self, kind: str) -> None:
        case = next(case for case in MAXIMAL if case.kind == kind)
        self.all: list[dict[str, Any]] = deepcopy(case.objects)

    def __getitem__(self, kind: str) -> dict[str, Any]:
        return [item for item in self.all if item["kind"] == kind][-1]

    @property
    def pod(self) -> dict[str, Any]:
        return next(pod for item in self.all for pod in pod_templates(item)).template

    @property
    def container(self) -> dict[str, Any]:
        return self.pod["spec"]["containers"][0]

    @property
    def job(self) -> dict[str, Any]:
        return self["Job"]["spec"]

    @property
    def jobset(self) -> dict[str, Any]:
        return self["JobSet"]["spec"]

    @property
    def step(self) -> dict[str, Any]:
        return self["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"][0]

    @property
    def pytorch(self) -> dict[str, Any]:
        return self["PyTorchJob"]["spec"]


def put(place: Any, key: Any, value: Any) -> None:
    place[key] = value


BREAKS = [
    ("nothing-is-null", "job", lambda o: put(o.container, "image", None)),
    ("nothing-is-the-word-none", "job", lambda o: put(o.pod["spec"], "schedulerName", "None")),
    ("env-values-are-text", "job", lambda o: o.container["env"].append({"name": "X", "value": 5})),
    ("env-names-are-unique", "job", lambda o: o.container["env"].append({"name": "HOME", "value": "/"})),
    (
        "no-secret-in-plain-text",
        "job",
        lambda o: o.container["env"].append({"name": "X", "value": "hf_" + "a" * 34}),
    ),
    (
        "no-secret-in-plain-text",
        "job",
        lambda o: o.container["env"].append({"name": "WANDB_API_KEY", "value": "x"}),
    ),
    ("no-secret-in-plain-text", "job", lambda o: put(o["ConfigMap"]["data"], "x", "AKIA" + "A" * 16)),
    ("names-are-valid", "job", lambda o: put(o["Service"]["metadata"], "name", "1x")),
    ("names-are-valid", "pytorchjob", lambda o: put(o["PyTorchJob"]["metadata"], "name", "a.b")),
    ("derived-names-fit", "statefulset", lambda o: put(o["StatefulSet"]["metadata"], "name", "a" * 53)),
    ("derived-names-fit", "job", lambda o: put(o["Job"]["metadata"], "name", "a" * 62)),
    ("derived-names-fit", "pytorchjob", lambda o: put(o["PyTorchJob"]["metadata"], "name", "a" * 55)),
    ("derived-names-fit", "jobset", lambda o: put(o["JobSet"]["metadata"], "name", "a" * 49)),
    ("derived-names-fit", "trainjob", lambda o: put(o["TrainJob"]["metadata"], "name", "a" * 49)),
    ("port-names-are-valid", "job", lambda o: put(o["Service"]["spec"]["ports"][0], "name", "Rendezvous")),
    ("all-objects-share-a-namespace", "job", lambda o: put(o["Service"]["metadata"], "namespace", "other")),
    ("container-names-are-unique", "job", lambda o: put(o.pod["spec"]["containers"][1], "name", "trainer")),
    ("mounts-have-volumes", "job", lambda o: o.pod["spec"]["volumes"].pop()),
    ("mounts-do-not-collide", "job", lambda o: put(o.container["volumeMounts"][0], "mountPath", "/output")),
    ("mounts-do-not-collide", "job", lambda o: put(o.container["volumeMounts"][0], "mountPath", "/a:b")),
    ("volume-names-are-unique", "job", lambda o: put(o.pod["spec"]["volumes"][0], "name", "scratch")),
    (
        "devices-have-equal-requests-and-limits",
        "job",
        lambda o: put(o.container["resources"]["limits"], "rdma/hca", "9"),
    ),
    (
        "devices-have-equal-requests-and-limits",
        "job",
        lambda o: o.container["resources"]["limits"].pop("rdma/hca"),
    ),
    (
        "devices-have-equal-requests-and-limits",
        "job",
        lambda o: put(o.container, "resources", {"limits": {"a/b": "0.5"}}),
    ),
    ("requests-fit-their-limits", "job", lambda o: put(o.container["resources"]["requests"], "cpu", "8")),
    ("shm-fits-into-memory", "job", lambda o: put(o.container["resources"]["limits"], "memory", "8Gi")),
    (
        "escalation-agrees-with-privilege",
        "job",
        lambda o: put(o.container["securityContext"], "allowPrivilegeEscalation", False),
    ),
    ("labels-are-valid", "job", lambda o: put(o["Job"]["metadata"]["labels"], "a", "b c")),
    ("labels-are-valid", "job", lambda o: put(o.pod["metadata"]["labels"], "a", 1)),
    ("annotations-are-text", "job", lambda o: put(o.pod["metadata"]["annotations"], "a", True)),
    ("restart-policy-fits-the-kind", "job", lambda o: put(o.pod["spec"], "restartPolicy", "OnFailure")),
    ("restart-policy-fits-the-kind", "statefulset", lambda o: put(o.pod["spec"], "restartPolicy", "Never")),
    ("host-network-looks-up-cluster-names", "job", lambda o: put(o.pod["spec"], "dnsPolicy", "ClusterFirst")),
    (
        "field-references-exist",
        "job",
        lambda o: put(o.container["env"][0]["valueFrom"]["fieldRef"], "fieldPath", "status.ip"),
    ),
    ("mounted-keys-exist", "job", lambda o: o["ConfigMap"]["data"].pop("contract.json")),
    ("all-nodes-run-at-once", "job", lambda o: put(o.job, "parallelism", 2)),
    ("nodes-have-an-index", "job", lambda o: o.job.pop("completionMode")),
    ("failure-policy-is-complete", "job", lambda o: o.job.pop("backoffLimitPerIndex")),
    ("failure-policy-is-complete", "job", lambda o: put(o.job, "completionMode", "NonIndexed")),
    (
        "failure-policy-is-complete",
        "job",
        lambda o: put(o.job, "podReplacementPolicy", "TerminatingOrFailed"),
    ),
    ("failure-policy-is-complete", "job", lambda o: put(o.container, "name", "other")),
    ("a-failed-job-fails-its-set", "jobset", lambda o: put(o.jobset, "failurePolicy", {"maxRestarts": 3})),
    (
        "jobset-names-are-valid",
        "jobset",
        lambda o: o.jobset["replicatedJobs"].append(o.jobset["replicatedJobs"][0]),
    ),
    ("jobset-names-are-valid", "jobset", lambda o: put(o.jobset["failurePolicy"]["rules"][0], "name", "a-b")),
    (
        "jobset-names-are-valid",
        "jobset",
        lambda o: put(o.jobset["failurePolicy"]["rules"][0], "targetReplicatedJobs", ["x"]),
    ),
    ("a-train-job-has-its-runtime", "trainjob", lambda o: o.all.reverse()),
    ("a-runtime-trains-in-one-place", "trainjob", lambda o: o.step["template"].pop("metadata")),
    ("a-runtime-trains-in-one-place", "trainjob", lambda o: put(o.container, "name", "trainer")),
    (
        "a-runtime-trains-in-one-place",
        "trainjob",
        lambda o: put(o["TrainingRuntime"]["spec"]["mlPolicy"], "numNodes", 2),
    ),
    ("a-runtime-trains-in-one-place", "trainjob", lambda o: put(o.step, "replicas", 2)),
    (
        "reserved-variables-are-the-operators",
        "trainjob",
        lambda o: put(o["TrainJob"]["spec"], "trainer", {"env": [{"name": "PET_NNODES", "value": "1"}]}),
    ),
    ("pytorch-jobs-have-replicas", "pytorchjob", lambda o: put(o.pytorch, "pytorchReplicaSpecs", {})),
    (
        "pytorch-jobs-have-replicas",
        "pytorchjob",
        lambda o: put(o.pytorch["pytorchReplicaSpecs"], "worker", {}),
    ),
    (
        "pytorch-jobs-have-replicas",
        "pytorchjob",
        lambda o: put(o.pytorch["pytorchReplicaSpecs"], "Master", {"replicas": 2}),
    ),
    (
        "pytorch-jobs-have-replicas",
        "pytorchjob",
        lambda o: put(o.pytorch["pytorchReplicaSpecs"]["Worker"], "replicas", 0),
    ),
    ("pytorch-jobs-have-a-pytorch-container", "pytorchjob", lambda o: put(o.container, "name", "trainer")),
    ("pytorch-jobs-have-a-pytorch-container", "pytorchjob", lambda o: o.container.pop("image")),
    ("nproc-per-node-is-text", "pytorchjob", lambda o: put(o.pytorch, "nprocPerNode", 2)),
    ("nproc-per-node-is-text", "pytorchjob", lambda o: put(o.pytorch, "nprocPerNode", "two")),
    (
        "nproc-per-node-fits-the-gpus",
        "pytorchjob",
        lambda o: put(o.container, "resources", {"limits": {"nvidia.com/gpu": "1"}}),
    ),
    ("run-policy-is-at-its-place", "pytorchjob", lambda o: put(o.pytorch, "ttlSecondsAfterFinished", 5)),
    (
        "pytorch-policies-are-known",
        "pytorchjob",
        lambda o: put(o.pytorch["runPolicy"], "cleanPodPolicy", "running"),
    ),
    (
        "pytorch-policies-are-known",
        "pytorchjob",
        lambda o: put(o.pytorch["pytorchReplicaSpecs"]["Worker"], "restartPolicy", "x"),
    ),
    (
        "elastic-policy-is-complete",
        "pytorchjob",
        lambda o: put(o.pytorch, "elasticPolicy", {"minReplicas": 5, "maxReplicas": 9}),
    ),
    (
        "elastic-policy-is-complete",
        "pytorchjob",
        lambda o: put(o.pytorch, "elasticPolicy", {"nProcPerNode": 1}),
    ),
    ("elastic-policy-is-complete", "pytorchjob", lambda o: put(o.pytorch, "elasticPolicy", {"rdzvConf": []})),
    (
        "selectors-find-pods",
        "job",
        lambda o: put(o["Service"]["spec"]["selector"], "rallypoint.dev/job", "other"),
    ),
    (
        "selectors-find-pods",
        "jobset",
        lambda o: put(o["NetworkPolicy"]["spec"]["podSelector"], "matchLabels", {"a": "b"}),
    ),
    (
        "a-stateful-set-owns-its-pods",
        "statefulset",
        lambda o: o.pod["metadata"]["labels"].pop("rallypoint.dev/job"),
    ),
    (
        "a-stateful-set-has-its-service",
        "statefulset",
        lambda o: put(o["StatefulSet"]["spec"], "serviceName", "other"),
    ),
    ("nodes-start-together", "statefulset", lambda o: o["StatefulSet"]["spec"].pop("podManagementPolicy")),
    ("the-policy-lets-the-job-in", "jobset", lambda o: put(o["NetworkPolicy"]["spec"], "ingress", [])),
    ("the-contract-agrees", "statefulset", lambda o: put(o["StatefulSet"]["spec"], "replicas", 4)),
    ("the-contract-agrees", "pytorchjob", lambda o: put(o.pytorch, "nprocPerNode", "1")),
    ("the-endpoint-is-node-zero", "job", lambda o: put(o["Service"]["metadata"], "name", "other")),
    ("the-endpoint-is-node-zero", "job", lambda o: put(o["Service"]["spec"], "clusterIP", "10.0.0.1")),
    ("the-endpoint-is-node-zero", "job", lambda o: o["Service"]["spec"].pop("publishNotReadyAddresses")),
    (
        "the-endpoint-is-node-zero",
        "job",
        lambda o: put(o["Service"]["spec"], "selector", {"rallypoint.dev/job": "maximal-job"}),
    ),
    ("the-endpoint-is-node-zero", "job", lambda o: put(o["Service"]["spec"]["ports"][0], "port", 1)),
]


@pytest.mark.parametrize(
    ("rule", "kind", "damage"), BREAKS, ids=[f"{n}-{b[0]}" for n, b in enumerate(BREAKS)]
)
def test_a_broken_object_is_found(rule, kind, damage):
    objects = Objects(kind)
    damage(objects)
    assert rule in {finding.rule for finding in check(objects.all)}


def test_every_rule_is_seen_to_fail():
    assert {rule for rule, _, _ in BREAKS} == NAMES


def test_a_finding_says_object_place_and_way_out():
    objects = Objects("pytorchjob")
    objects.pytorch["nprocPerNode"] = 2
    (found,) = [f for f in check(objects.all) if f.rule == "nproc-per-node-is-text"]
    assert str(found) == (
        "PyTorchJob/maximal-pytorchjob: spec.nprocPerNode: must be text, a number or auto, cpu, gpu (got 2); "
        'write "1"'
    )


SOUND = [
    {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "simple"},
        "spec": {
            "pytorchReplicaSpecs": {
                role: {
                    "replicas": 1,
                    "template": {"spec": {"containers": [{"name": "pytorch", "image": "x"}]}},
                }
                for role in ("Master", "Worker")
            }
        },
    },
    {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "pi"},
        "spec": {
            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "pi", "image": "perl"}]}}
        },
    },
    {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "set"},
        "spec": {
            "replicatedJobs": [
                {
                    "name": "w",
                    "template": {
                        "spec": {
                            "template": {
                                "spec": {
                                    "restartPolicy": "OnFailure",
                                    "containers": [{"name": "c", "image": "x"}],
                                }
                            }
                        }
                    },
                }
            ]
        },
    },
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}},
]


@pytest.mark.parametrize("item", SOUND, ids=lambda item: item["kind"])
def test_what_others_wrote_well_is_sound(item):
    assert check([item]) == []


@pytest.mark.parametrize(
    "item", [{}, {"kind": "Job"}, {"kind": "Job", "spec": None}, {"kind": "PyTorchJob", "spec": []}]
)
def test_a_fragment_gives_findings_and_no_traceback(item):
    assert isinstance(check([item]), list)
