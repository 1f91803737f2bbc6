"""Random valid specs from a seed: every field now and then, awkward text wherever text is free."""

from random import Random
from typing import Any

AWKWARD = (
    "a: b", "{{ x }}", "$(X)", "$$", "${HOME}", "no", "on", "010", "1_000", "12:30", "1e3", "null", "~",
    "None", "", " leading", "trailing ", "- item", "# no comment", "'single'", '"double"', "back\\slash",
    "two\nlines\n", "end\n\n", "tab\there", "na\u00efve", "emoji \U0001f680", "\u2028", "{a: 1}", "[1]",
    "*star", "&amp;", "!tag", "%", "@at", "`tick`", "|", ">", "y", "=", "<<", "0x1f", "2026-01-02", ".5",
    "5.", "+1", "true", "---",
)  # fmt: skip
KINDS = ("job", "statefulset", "pytorchjob", "jobset", "trainjob")
KINDS_WITH = {
    "ttl": ("job", "jobset", "pytorchjob"),
    "deadline": ("job", "jobset", "trainjob"),
    "suspend": ("job", "jobset", "pytorchjob", "trainjob"),
}
"""Fields that not every kind has."""


class Draw:
    """Draws values of one spec."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def maybe(self, chance: float = 0.4) -> bool:
        return self.random.random() < chance

    def one(self, *values: Any) -> Any:
        return self.random.choice(values)

    def text(self) -> str:
        return self.one(*AWKWARD)

    def name(self, longest: int = 20) -> str:
        letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
        body = "".join(self.one(*letters) for _ in range(self.random.randint(0, longest - 2)))
        return f"{self.one(*letters[:26])}{body}{self.one(*letters[:36])}"

    def texts(self, *keys: str) -> dict[str, str]:
        return {key: self.text() for key in keys if self.maybe(0.7)}

    def labels(self) -> dict[str, str]:
        keys = ("team", "example.com/cost-center", "stage", "app.kubernetes.io/component")
        return {key: self.one("research", "a.b_c-d", "1", "true", "") for key in keys if self.maybe(0.5)}


def spec(kind: str, seed: int) -> dict[str, Any]:
    """A valid spec of `kind`; the same seed gives the same spec."""
    draw = Draw(seed)
    nodes = draw.one(1, 2, 3, 8, 12, 128)
    found: dict[str, Any] = {
        "name": draw.name(),
        "kind": kind,
        "nodes": nodes,
        "image": draw.one("a/b:1", "x", "r.io:5000/a@sha256:ab"),
    }
    gpus = draw.one(0, 0, 1, 8)
    found["resources"] = _resources(draw, gpus)
    if draw.maybe():
        found["nproc_per_node"] = gpus or draw.one(1, 2, 4)
    found |= _program(draw)
    if "train" in found or kind == "statefulset" or draw.maybe(0.7):
        found["output"] = draw.one(
            {"pvc": "shared"},
            {"pvc": "made", "size": "10Gi", "storage_class": "fast", "access_mode": "ReadWriteMany"},
            {"nfs": {"server": "nfs.example.com", "path": "/export"}},
            {"hostPath": {"path": "/mnt/shared", "type": "Directory"}},
        )
    found |= _top(draw, kind)
    found |= _storage(draw)
    found |= _environment(draw)
    found |= _placement(draw)
    found |= _containers(draw)
    return found


def _resources(draw: Draw, gpus: int) -> dict[str, Any]:
    found: dict[str, Any] = {"gpus": gpus}
    optional = {
        "gpu_resource": ("nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "amd.com/gpu", "habana.ai/gaudi"),
        "cpu": (1, "500m", 96, "2.5", 0.5),
        "memory": ("4Gi", "900Gi", "16G"),
        "shm": ("1Gi", "512Mi", False),
        "ephemeral_storage": ("20Gi",),
        "extra": ({"vpc.amazonaws.com/efa": 4}, {"example.com/fpga": "1"}),
    }
    return found | {key: draw.one(*values) for key, values in optional.items() if draw.maybe()}


def _program(draw: Draw) -> dict[str, Any]:
    if draw.maybe(0.4):
        training_args = {"num_train_epochs": 3, "learning_rate": 2e-5, "bf16": True, "run_name": draw.text()}
        model = draw.one(
            "google-bert/bert-base-uncased",
            {"pretrained_model_name_or_path": "/models/bert", "dtype": "bfloat16"},
        )
        dataset = draw.one(
            {"path": "nyu-mll/glue", "name": "mrpc"}, {"data_files": {"train": "/data/t.jsonl"}}
        )
        return {
            "train": {
                "task": "text-classification",
                "model": model,
                "dataset": dataset,
                "training_args": {key: value for key, value in training_args.items() if draw.maybe()},
            }
        }
    program = draw.one(
        {"inline": draw.one("print(1)\n", "x = '{{ y }}'", "if 1:\n\tpass\n\n")},
        {"module": "pkg.train"},
        {"file": "/opt/train.py"},
    )
    return {"script": {**program, "args": [draw.text() for _ in range(draw.one(0, 2))]}}


def _top(draw: Draw, kind: str) -> dict[str, Any]:
    optional: dict[str, tuple[Any, ...]] = {
        "namespace": ("research", "a1"),
        "labels": (draw.labels(),),
        "annotations": (draw.texts("note", "example.com/link"),),
        "image_pull_policy": ("Always", "IfNotPresent", "Never"),
        "image_pull_secrets": (["registry"], ["a", "b"]),
        "service_account": ("trainer",),
        "rendezvous": ({"agent": "torchrun"}, {"port": 23456, "timeout": "5m"}),
        "max_restarts": (0, 7),
        "grace_period": ("5m", "1h"),
        "deadline": ("24h", "90m"),
        "ttl": ("1d", "30m"),
        "suspend": (True, False),
        "debug": (True,),
    }
    drawn = {key: draw.one(*values) for key, values in optional.items() if draw.maybe()}
    return {key: value for key, value in drawn.items() if kind in KINDS_WITH.get(key, KINDS)}


def _storage(draw: Draw) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if draw.maybe():
        found["cache"] = draw.one(
            {"pvc": "cache", "size": "1Ti"}, {"emptyDir": {}}, {"hostPath": {"path": "/c"}}
        )
    volumes = [
        {"mount": "/data", "pvc": "imagenet", "read_only": True},
        {"mount": "/scratch", "emptyDir": {"sizeLimit": "5Gi"}},
        {"mount": "/etc/app", "configMap": {"name": "app", "items": [{"key": "no", "path": "no.yaml"}]}},
        {"mount": "/var/secret", "secret": {"secretName": "hf", "defaultMode": 288}, "read_only": True},
        {"mount": "/tmp", "emptyDir": {}},
        {"mount": "/dev/shm", "emptyDir": {"medium": "Memory"}},
        {"mount": "/nfs", "nfs": {"server": "s", "path": "/p"}, "sub_path": "a/b"},
        {
            "mount": "/csi",
            "csi": {"driver": "s3.csi.example.com", "volumeAttributes": {"bucket": "b", "flag": "no"}},
        },
        {
            "mount": "/all",
            "projected": {"sources": [{"secret": {"name": "a"}}, {"configMap": {"name": "b"}}]},
        },
        {"mount": "/made", "pvc": "more", "size": "2Gi"},
    ]
    chosen = [volume for volume in volumes if draw.maybe(0.25)]
    return found | ({"volumes": chosen} if chosen else {})


def _environment(draw: Draw) -> dict[str, Any]:
    values: dict[str, Any] = {name: draw.text() for name in ("A", "no", "HOME", "B_2") if draw.maybe(0.5)}
    references = {
        "HF_TOKEN": {"secret": "hf", "key": "token"},
        "REGION": {"config_map": "site", "key": "region.name"},
        "POD_IP": {"field": "status.podIP"},
        "NCCL_DEBUG": "WARN",
        "OMP_NUM_THREADS": 3,
    }
    values |= {name: value for name, value in references.items() if draw.maybe(0.3)}
    found: dict[str, Any] = {"env": values} if values else {}
    if draw.maybe(0.3):
        found["env_from"] = [{"secret": "many"}, {"config_map": "site", "prefix": "SITE_"}]
    return found


def _placement(draw: Draw) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "no"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    scheduling = {
        "queue": "research",
        "queue_priority": "high",
        "priority_class": "high-priority",
        "scheduler_name": "volcano",
        "node_selector": {"gpu.example.com/type": draw.one("h100", 100, True)},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
        "affinity": {"nodeAffinity": required},
        "spread": "kubernetes.io/hostname",
    }
    network = {
        "host_network": True,
        "interface": "eth0",
        "rdma": {"resource": "rdma/hca", "count": 8},
        "annotations": {"k8s.v1.cni.cncf.io/networks": '[{"name": "rail-0"}]'},
        "policy": False,
    }
    security = {
        "user": draw.one(0, 12345, None),
        "fs_group": 0,
        "read_only_root": False,
        "privileged": True,
        "capabilities": draw.one(["SYS_PTRACE"], ["SYS_ADMIN", "IPC_LOCK"]),
        "service_account_token": True,
    }
    groups = {"scheduling": scheduling, "network": network, "security": security}
    drawn = {name: {k: v for k, v in group.items() if draw.maybe(0.3)} for name, group in groups.items()}
    return {name: group for name, group in drawn.items() if group}


def _containers(draw: Draw) -> dict[str, Any]:
    sidecar = {
        "name": "logs",
        "image": "busybox",
        "args": [draw.text()],
        "env": [{"name": "X", "value": draw.text()}],
    }
    optional: dict[str, Any] = {
        "sidecars": [sidecar],
        "init_containers": [{"name": "fetch", "image": "busybox", "command": ["sh", "-c", "echo a: b"]}],
        "pod_patch": draw.one(
            {"runtimeClassName": "nvidia"},
            {"securityContext": {"supplementalGroups": [5]}, "preemptionPolicy": None},
        ),
        "container_patch": draw.one(
            {"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}},
            {"securityContext": {"capabilities": {"drop": ["NET_RAW"]}}},
        ),
    }
    return {key: value for key, value in optional.items() if draw.maybe(0.3)}
