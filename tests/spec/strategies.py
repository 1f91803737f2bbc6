"""Valid job documents for any kind, for hypothesis; reusable by the tests of render and of the chart."""

from typing import Any

from hypothesis import strategies as st

from rallypoint.spec import KINDS
from rallypoint.spec.kinds import LACKS, longest_name

LETTERS = "abcdefghijklmnopqrstuvwxyz"
words = st.text(LETTERS, min_size=1, max_size=8)
texts = st.text(
    st.characters(
        codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff\u2028\u2029"
    ),
    max_size=20,
)
plain_texts = st.one_of(
    texts, st.integers(-(10**6), 10**6), st.booleans(), st.sampled_from([0.5, 1e-05, 2.25])
)
sizes = st.sampled_from(["1Gi", "512Mi", "10G", 4, "1.5Ti"])
durations = st.builds(lambda n, unit: f"{n}{unit}", st.integers(30, 999), st.sampled_from("smhd"))


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A map with any of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


def storages(nodes: int) -> st.SearchStrategy[dict[str, Any]]:
    """Storage that all nodes share."""
    created = st.fixed_dictionaries(
        {"pvc": words, "size": sizes},
        optional={"access_mode": st.just("ReadWriteMany" if nodes > 1 else "ReadWriteOnce")},
    )
    return st.one_of(
        st.fixed_dictionaries({"pvc": words}),
        created,
        st.fixed_dictionaries({"nfs": st.fixed_dictionaries({"server": words, "path": st.just("/data")})}),
    )


def volumes() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Volumes of different mounts."""
    sources = st.sampled_from([{"emptyDir": {}}, {"pvc": "data"}, {"configMap": {"name": "c"}}])
    volume = st.builds(
        lambda source, name, more: {"mount": f"/v/{name}", **source, **more},
        sources,
        words,
        maybe(read_only=st.booleans(), sub_path=words),
    )
    return st.lists(volume, max_size=3, unique_by=lambda item: item["mount"])


def training_args() -> st.SearchStrategy[dict[str, Any]]:
    """Arguments that agree with each other, old names too."""
    return maybe(
        learning_rate=st.sampled_from([2e-05, 0.1, 1]),
        num_train_epochs=st.integers(1, 5),
        per_device_train_batch_size=st.integers(1, 64),
        eval_strategy=st.sampled_from(["no", "epoch", "steps", False]),
        logging_steps=st.sampled_from([1, 10, 0.25]),
        save_strategy=st.sampled_from(["no", "epoch", "steps"]),
        warmup_ratio=st.sampled_from([0, 0.1]),
        group_by_length=st.booleans(),
        bf16=st.booleans(),
        seed=st.integers(0, 2**31),
        report_to=st.sampled_from(["none", ["tensorboard"]]),
    )


def trains() -> st.SearchStrategy[dict[str, Any]]:
    dataset = st.one_of(
        st.fixed_dictionaries(
            {"path": words}, optional={"name": words, "max_train_samples": st.integers(1, 99)}
        ),
        st.fixed_dictionaries({"data_files": st.fixed_dictionaries({"train": st.just("train.jsonl")})}),
    )
    model = st.one_of(words, st.fixed_dictionaries({"pretrained_model_name_or_path": words}))
    return st.fixed_dictionaries(
        {"task": st.just("text-classification"), "model": model, "dataset": dataset},
        optional={"training_args": training_args(), "metrics": st.just(["f1"])},
    )


def scripts() -> st.SearchStrategy[dict[str, Any]]:
    args = st.lists(plain_texts, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"module": words}, optional={"args": args}),
        st.fixed_dictionaries({"inline": st.sampled_from(["print(1)\n", 'print("{{ x }} $(Y)")\n'])}),
        st.fixed_dictionaries({"file": st.just("/app/train.py")}, optional={"args": args}),
    )


def resources() -> st.SearchStrategy[dict[str, Any]]:
    return maybe(
        gpus=st.sampled_from([0, 4, 8]),
        cpu=st.sampled_from([2, 96, "500m", 1.5]),
        memory=st.sampled_from(["4Gi", "900Gi"]),
        shm=st.sampled_from(["1Gi", "512Mi", False]),
        ephemeral_storage=sizes,
        extra=st.just({"vpc.amazonaws.com/efa": 4}),
    )


def environments() -> st.SearchStrategy[dict[str, Any]]:
    """Variables of every form; names that neither YAML 1.1 nor we keep for something else."""
    value = st.one_of(
        plain_texts,
        st.fixed_dictionaries({"secret": words, "key": words}),
        st.fixed_dictionaries({"config_map": words, "key": words}),
        st.just({"field": "status.podIP"}),
    )
    return st.dictionaries(words.map(lambda word: f"V_{word.upper()}"), value, max_size=4)


def placement() -> dict[str, st.SearchStrategy[Any]]:
    """The fields on machines, network and rights."""
    return {
        "scheduling": maybe(
            queue=words,
            priority_class=words,
            node_selector=st.dictionaries(words, words, max_size=2),
            tolerations=st.just([{"key": "nvidia.com/gpu", "operator": "Exists"}]),
            spread=st.just("kubernetes.io/hostname"),
        ),
        "network": maybe(
            host_network=st.booleans(),
            interface=st.just("eth0"),
            policy=st.booleans(),
            rdma=st.just({"resource": "rdma/hca", "count": 2}),
            annotations=st.just({"k8s.v1.cni.cncf.io/networks": "rdma"}),
        ),
        "security": maybe(user=st.sampled_from([None, 0, 1000]), read_only_root=st.booleans()),
        "rendezvous": maybe(agent=st.sampled_from(["rallypoint", "torchrun"]), timeout=durations),
    }


@st.composite
def specs(draw: st.DrawFn, kind: str | None = None) -> dict[str, Any]:
    """A valid job for a cluster, of this kind or of any, as plain values."""
    kind = kind or draw(st.sampled_from(sorted(KINDS)))
    nodes = draw(st.sampled_from([1, 2, 3, 12]))
    longest = longest_name(kind, nodes)
    optional = {
        "namespace": words,
        "labels": st.dictionaries(words.map(lambda word: f"example.com/{word}"), words, max_size=2),
        "annotations": st.dictionaries(
            words.map(lambda word: f"example.com/{word}"), plain_texts, max_size=2
        ),
        "image_pull_policy": st.sampled_from(["Always", "IfNotPresent", "Never"]),
        "image_pull_secrets": st.lists(words, max_size=2),
        "service_account": words,
        "nproc_per_node": st.integers(1, 4),
        "resources": resources(),
        "cache": storages(nodes),
        "volumes": volumes(),
        "env": environments(),
        "env_from": st.lists(st.fixed_dictionaries({"secret": words}), max_size=2),
        "max_restarts": st.integers(0, 9),
        "grace_period": durations,
        "debug": st.booleans(),
        "sidecars": st.just([{"name": "logs", "image": "busybox"}]),
        "pod_patch": st.just({"dnsPolicy": "Default"}),
        **placement(),
        **{
            field: st.booleans() if field == "suspend" else durations
            for field, lacking in LACKS.items()
            if kind not in lacking
        },
    }
    program = draw(st.one_of(trains().map(lambda t: {"train": t}), scripts().map(lambda s: {"script": s})))
    claims = storages(nodes).map(lambda storage: {"output": one_name(storage, "output")})
    return {
        "name": draw(st.text(LETTERS, min_size=1, max_size=longest)),
        "kind": draw(st.sampled_from([kind, KINDS[kind]])),
        "nodes": nodes,
        "image": "ghcr.io/acme/trainer:1.0",
        **program,
        **draw(claims),
        **{key: one_name(value, key) for key, value in draw(maybe(**optional)).items()},
    }


def one_name(value: Any, key: str) -> Any:
    """Claims named for their field, so that no two fields describe one claim."""
    return {**value, "pvc": key} if isinstance(value, dict) and "pvc" in value else value
