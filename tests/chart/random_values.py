"""Random valid job files from a seed, in which every key of the spec turns up.

What has many alternatives goes round with the seed instead of by chance, so that few specs reach all of them.
"""

from random import Random

from rallypoint.spec.fields import all_fields
from rallypoint.spec.kinds import LACKS
from rallypoint.spec.storage import VOLUME_SOURCES
from rallypoint.spec.training import TRAINING_ARGS
from rallypoint.spec.training.rules import ABOVE_ZERO, STEPS
from rallypoint.spec.training.table import OWNED
from random_specs import AWKWARD

KINDS = ("job", "statefulset", "pytorchjob", "jobset", "trainjob")
SPELLINGS = {
    "job": ("job", "Job", "JOB"),
    "statefulset": ("statefulset", "StatefulSet"),
    "pytorchjob": ("pytorchjob", "PyTorchJob"),
    "jobset": ("jobset", "JobSet", "jobSet"),
    "trainjob": ("trainjob", "TrainJob"),
}
NAMESPACE = "research"
SOURCES = {
    "configMap": {"name": "app", "items": [{"key": "no", "path": "no.yaml"}], "defaultMode": 288},
    "secret": {"secretName": "hf", "optional": True},
    "emptyDir": {},
    "hostPath": {"path": "/mnt/010", "type": "Directory"},
    "nfs": {"server": "nfs.example.com", "path": "/export"},
    "csi": {"driver": "s3.csi.example.com", "volumeAttributes": {"on": "no", "size": "1e3"}},
    "ephemeral": {
        "volumeClaimTemplate": {
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        }
    },
    "projected": {"sources": [{"secret": {"name": "a"}}, {"configMap": {"name": "b"}}]},
    "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]},
    "image": {"reference": "a/b:1", "pullPolicy": "Always"},
    "iscsi": {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2026-01.x:y", "lun": 0},
    "fc": {"targetWWNs": ["500a0982991b8dc5"], "lun": 2},
    "azureFile": {"secretName": "a", "shareName": "b"},
    "cephfs": {"monitors": ["10.0.0.1:6789"], "user": "admin"},
    "persistentVolumeClaim": {"claimName": "there", "readOnly": False},
}
READ_ONLY = ("configMap", "secret", "projected", "downwardAPI", "image")
WRITABLE = [source for source in VOLUME_SOURCES if source not in READ_ONLY]
REFUSED = {f"{field}.{source}" for field in ("output", "cache") for source in READ_ONLY}
"""Keys that no job can have: nobody can write there."""
FREE_ARGS = [
    name
    for name, item in TRAINING_ARGS.items()
    if name not in OWNED
    and not {"object"} & set(item.types)
    and name not in ("fp16", "bf16", "fp16_full_eval", "bf16_full_eval", "save_strategy", "eval_strategy")
    and not name.startswith(("load_best", "dataloader_pre", "dataloader_per", "lr_scheduler_type"))
]


class Draw:
    """Draws the parts of one job file."""

    def __init__(self, kind, seed):
        self.kind, self.seed = kind, seed
        self.random = Random(f"{kind} {seed}")

    def one(self, *values):
        return self.random.choice(values)

    def turn(self, values):
        """The value whose turn it is: after as many seeds as there are values, each was drawn."""
        return values[self.seed % len(values)]

    def some(self, chance=0.4, **values):
        """Some of the keys."""
        return {key: value for key, value in values.items() if self.random.random() < chance}

    def text(self):
        return self.one(*AWKWARD)

    def texts(self, *keys):
        return {key: self.one(self.text(), 7, True, 1000000) for key in keys if self.random.random() < 0.7}


def values(kind, seed):
    """A valid job file of `kind` as a mapping."""
    draw = Draw(kind, seed)
    nodes = draw.one(1, 2, 3, 12, 128)
    found = {
        "kind": draw.one(*SPELLINGS[kind]),
        "nodes": nodes,
        "image": draw.one("a/b:1", "r.io:5000/a@sha256:ab"),
    }
    if draw.random.random() < 0.8:
        found["name"] = draw.one("mrpc", "a", "x" * 40, "a-1--b")
    found |= program(draw) | storage(draw, found) | metadata(draw) | lifecycle(draw)
    found |= resources(draw) | environment(draw) | placement(draw) | containers(draw)
    return found


def program(draw):
    """`train` or `script`; `train.py` and `lib/model.py` lie beside the job file."""
    if draw.seed % 2:
        return {"train": train(draw)}
    arguments = draw.some(0.7, args=[draw.one(draw.text(), 5, False) for _ in range(3)])
    return {
        "script": draw.turn(
            [
                {"inline": "print(1)\n"},
                {},
                {"file": "train.py"},
                {},
                {"module": "pkg.train"},
                {},
                {"file": "train.py", "files": ["lib/model.py"]},
                {},
                {"file": "a b.py", "files": {"a b.py": "x = '{{ y }}'\n\tz\n", "./c//d.py": draw.text()}},
                {},
                {"file": "/opt/train.py", "files": {"b.yaml": draw.text() + "\n", "a/b.yaml": "no"}},
                {},
                {"inline": draw.one("if 1:\n\tpass\n\n", " \n  x", "a: b # c\n")},
                {},
            ]
        )
        | arguments
    }


def train(draw):
    """A run of the built-in trainer."""
    model = draw.some(
        0.6,
        revision=draw.text() or "main",
        dtype=draw.one("auto", "bfloat16"),
        attn_implementation="sdpa",
        trust_remote_code=draw.one(True, False),
    )
    dataset = draw.some(
        0.4,
        path="nyu-mll/glue",
        name=draw.text(),
        data_dir="d",
        data_files=draw.one("a.jsonl", ["a.csv", "b.csv"], {"train": "a.jsonl", "validation": ["b.jsonl"]}),
        revision="main",
        train_split_name="train",
        validation_split_name=draw.text(),
        text_column_names=draw.one(["a"], ["sentence1", draw.text()]),
        label_column_name=draw.text(),
        max_train_samples=draw.one(1, 10000000),
        max_eval_samples=2,
        max_seq_length=128,
    )
    strategies = draw.one(
        {}, {"eval_strategy": "epoch", "save_strategy": "epoch", "load_best_model_at_end": True}
    )
    return {
        "task": "text-classification",
        "model": draw.one("a/b", {"pretrained_model_name_or_path": "../m", **model}),
        "dataset": dataset,
        **draw.some(0.5, metrics=draw.one(["f1"], ["accuracy", "f1"])),
        **draw.some(0.97, training_args={**strategies, **arguments(draw)}),
    }


def arguments(draw):
    """A few arguments of TrainingArguments, each of one of its types."""
    start = draw.seed // 2 * 4
    chosen = {FREE_ARGS[number % len(FREE_ARGS)] for number in range(start, start + 4)}
    return {name: argument(draw, name) for name in sorted(chosen)}


def argument(draw, name):
    item = TRAINING_ARGS[name]
    if item.choices:
        return draw.one(*item.choices)
    if name in STEPS:
        return draw.one(10, 500)
    of_type = {
        "int": (1, 7, 1000000),
        "float": (0.5, 0.25, 1e-08) if name in ABOVE_ZERO else (0.5, 2e-05),
        "bool": (True, False),
        "str": (draw.text(),),
        "list": ([], ["a", draw.text()]),
        "dict": ({}, {"a": 1, "b": {"c": [0.5, None, draw.text()]}}),
        "null": (None,),
    }
    return draw.one(*of_type[draw.one(*item.types)])


def storage(draw, found):
    """`output`, `cache` and `volumes`."""
    claim = {"pvc": "made", "size": draw.one("10Gi", "1.5T", 5000000000)}
    claim |= draw.some(0.6, storage_class="fast", access_mode="ReadWriteMany")
    shared = [source for source in WRITABLE if source not in ("emptyDir", "ephemeral")]
    once = [] if draw.kind == "statefulset" else ["emptyDir", "ephemeral"]
    source = draw.turn(["pvc", "claim", "claim", *shared, *once])
    if source in once:
        found["nodes"] = 1
    output = (
        {"pvc": "there"} if source == "pvc" else claim if source == "claim" else {source: SOURCES[source]}
    )
    caches = ["pvc", "claim", "claim", *WRITABLE]
    source = caches[(draw.seed * 7 + 3) % len(caches)]
    cache = {"pvc": "cache", "size": "1Ti", **draw.some(0.8, storage_class="s", access_mode="ReadWriteMany")}
    cache = {"pvc": "c"} if source == "pvc" else cache if source == "claim" else {source: SOURCES[source]}
    needed = "train" in found or draw.seed % 2 or draw.kind == "statefulset" or draw.seed % 3
    return {
        **({"output": output} if needed else {}),
        "cache": cache,
        "volumes": [volume(draw, number) for number in range(draw.one(1, 2, 3))],
    }


def volume(draw, number):
    """One more folder; the mounts differ by the number."""
    sources = ["pvc", "claim", *VOLUME_SOURCES, "claim", "claim"]
    source = sources[(draw.seed * 3 + number) % len(sources)]
    claim = {"pvc": f"more-{number}", "size": "2Gi"}
    claim |= draw.some(0.9, storage_class="s", access_mode="ReadWriteMany")
    base = {"pvc": "x"} if source == "pvc" else claim if source == "claim" else {source: SOURCES[source]}
    mount = draw.one(f"/data/{number}", f"/v-{number}/", f"/a b/{number}")
    if number == 0:
        mount = draw.one(mount, "/tmp", "/dev/shm")
    return {"mount": mount, **base, **draw.some(0.4, read_only=draw.one(True, False), sub_path="a/b")}


def metadata(draw):
    """Names, labels and where the objects go."""
    return draw.some(
        0.4,
        namespace=NAMESPACE,
        labels={
            "team": draw.one("a.b_c", "", 5, True),
            "example.com/x": "1",
            "app.kubernetes.io/part-of": "y",
        },
        annotations=draw.texts("note", "example.com/link"),
        image_pull_policy=draw.one("Always", "IfNotPresent", "Never"),
        image_pull_secrets=draw.one([], ["registry", "a.b"]),
        service_account="trainer",
    )


def lifecycle(draw):
    """How long, how often, and whether to start."""
    optional = {
        "rendezvous": draw.some(0.6, agent=draw.one("torchrun", "rallypoint"), port=23456, timeout="5m"),
        "max_restarts": draw.one(0, 7, 1000),
        "grace_period": draw.one("30s", "5m", "1h"),
        "deadline": draw.one("24h", "90m", "400d"),
        "ttl": draw.one("1d", "30m"),
        "suspend": draw.one(True, True, False),
        "debug": draw.one(True, False),
    }
    had = {key: value for key, value in optional.items() if draw.kind not in LACKS.get(key, {})}
    if draw.kind == "statefulset":
        had["suspend"] = False
    return draw.some(0.4, **had)


def resources(draw):
    """What every pod asks for."""
    gpus = draw.one(0, 1, 8)
    found = draw.some(
        0.4,
        gpus=gpus,
        gpu_resource=draw.one("nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.10gb"),
        cpu=draw.one(1, "500m", 96, "2.5", 0.5, "1e1"),
        memory=draw.one("4Gi", "900Gi", "16G", "4.194304G", 123456789012, "0.1Gi", "20971520000m", "5e9"),
        shm=draw.one("1Mi", "5M", False),
        ephemeral_storage="20Gi",
        extra={"vpc.amazonaws.com/efa": draw.one(4, "4"), "hugepages-2Mi": "4Mi"},
    )
    nproc = draw.some(0.4, nproc_per_node=draw.one(1, found.get("gpus") or 3))
    return {"resources": found, **nproc}


def environment(draw):
    """Variables."""
    given = draw.some(
        0.5,
        A=draw.text(),
        no=draw.text(),
        HOME=draw.one("/root", "$(A)"),
        B_2=draw.one(5, True, 1000000, "1.10", "0o7"),
        OMP_NUM_THREADS=3,
        HF_TOKEN={"secret": "hf", "key": "token"},
        REGION={"config_map": "site", "key": "region.name"},
        POD_IP={"field": draw.one("status.podIP", "metadata.labels['a']")},
    )
    sources = [{"secret": "many"}, {"config_map": "site", "prefix": "SITE_"}]
    return draw.some(0.7, env=given, env_from=sources)


def placement(draw):
    """`scheduling`, `network` and `security`."""
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "no"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {
        "scheduling": draw.some(
            queue=draw.one("research", 5),
            queue_priority="high",
            priority_class="high-priority",
            scheduler_name="volcano",
            node_selector={"example.com/type": draw.one("h100", 100, True)},
            tolerations=[{"key": "a/b", "operator": "Exists", "tolerationSeconds": 1099511627776}],
            affinity={"nodeAffinity": required},
            spread="kubernetes.io/hostname",
        ),
        "network": draw.some(
            host_network=draw.one(True, False),
            interface="eth0.1",
            rdma={"resource": "rdma/hca", **draw.some(0.7, count=8)},
            annotations={"k8s.v1.cni.cncf.io/networks": '[{"name": "rail-0"}]', "n": 5},
            policy=draw.one(True, False),
        ),
        "security": draw.some(
            user=draw.one(0, 12345, 2147483647, None),
            fs_group=draw.one(0, 77, None),
            read_only_root=draw.one(True, False),
            privileged=draw.one(True, False),
            capabilities=draw.one([], ["SYS_PTRACE"], ["SYS_ADMIN", "IPC_LOCK"]),
            service_account_token=draw.one(True, False),
        ),
    }


def containers(draw):
    """More containers, and patches."""
    sidecar = {
        "name": "logs",
        "image": "busybox",
        "args": [draw.text()],
        "env": [{"name": "X", "value": draw.text()}, {"name": "A", "value": "1e3"}],
        "livenessProbe": {"periodSeconds": 1000000, "exec": {"command": ["true"]}},
    }
    return draw.some(
        sidecars=[sidecar],
        init_containers=[
            {"name": "fetch", "image": "busybox", "command": ["sh", "-c", "echo a: b\necho $X"]}
        ],
        pod_patch=draw.one(
            {},
            {"runtimeClassName": "nvidia", "priority": 1000000},
            {
                "securityContext": {"supplementalGroups": [5], "seccompProfile": None},
                "enableServiceLinks": None,
            },
        ),
        container_patch=draw.one(
            {},
            {"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}},
            {"securityContext": {"capabilities": {"drop": ["NET_RAW"]}}, "terminationMessagePolicy": None},
            {"livenessProbe": {"exec": {"command": ["true", draw.text()]}, "x": {"y": None, "z": 0.5}}},
        ),
    )


def keys_in(given):
    """The keys of the spec that a job file sets, spelled as `all_fields` does."""
    known = {key for key, _ in all_fields()}
    found = set()

    def walk(value, key):
        for mark, inner in (
            [(f".{part}", item) for part, item in value.items()] if isinstance(value, dict)
            else [("[]", item) for item in value] if isinstance(value, list) else []
        ):  # fmt: skip
            path = f"{key}{mark}".lstrip(".")
            free = f"{key}.*" if isinstance(value, dict) else path
            path = path if path in known or not any(name.startswith(f"{free}.") for name in known) else free
            found.update({path} & known)
            walk(inner, path)

    walk(given, "")
    return found
