"""What each field of the spec becomes."""

import pytest

from rallypoint.errors import InputError
from rallypoint.render import notices, render


def test_half_of_the_memory_is_shared_memory(pod):
    volumes = {volume["name"]: volume for volume in pod(resources={"memory": "9Gi"})["volumes"]}
    assert volumes["shm"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "4608Mi"}


def test_shared_memory_has_the_size_asked_for(pod):
    volumes = {volume["name"]: volume for volume in pod(resources={"memory": "9Gi", "shm": "1Gi"})["volumes"]}
    assert volumes["shm"]["emptyDir"]["sizeLimit"] == "1Gi"


def test_shared_memory_can_be_left_out(container):
    paths = [mount["mountPath"] for mount in container(resources={"shm": False})["volumeMounts"]]
    assert "/dev/shm" not in paths


@pytest.mark.parametrize(
    ("cpu", "nproc", "threads"),
    [(None, 1, "1"), ("8", 2, "4"), ("7", 2, "3"), ("500m", 1, "1"), ("2.5", 1, "2"), ("3", 8, "1")],
)
def test_threads_are_the_cores_over_the_processes(env, cpu, nproc, threads):
    assert env(resources={"cpu": cpu} if cpu else {}, nproc_per_node=nproc)["OMP_NUM_THREADS"] == threads


def test_a_variable_of_the_jobs_takes_the_place_of_ours(env):
    assert env(env={"OMP_NUM_THREADS": 5})["OMP_NUM_THREADS"] == "5"


@pytest.mark.parametrize("text", ["$(HOME)", "$$(HOME)", "a$b", "$", "$$", "$(", "${HOME}", "$\u00e9"])
def test_kubernetes_gives_a_dollar_back_as_it_was_written(env, text):
    assert expanded(env(env={"X": text})["X"], {"HOME": "/root"}) == text


def expanded(text, variables):
    """What the kubelet makes of a value. Source: Kubernetes 1.34, third_party/forked/golang/expansion."""
    result, at = "", 0
    while at < len(text):
        rest = text[at + 1 :]
        if text[at] != "$" or not rest:
            result, at = result + text[at], at + 1
        elif rest[0] == "$":
            result, at = result + "$", at + 2
        elif rest[0] == "(" and ")" in rest:
            name = rest[1 : rest.index(")")]
            result, at = result + variables.get(name, f"$({name})"), at + len(name) + 3
        else:
            result, at = result + "$" + rest[0], at + 2
    return result


def test_variables_come_from_secrets_config_maps_and_fields(env):
    found = env(
        env={
            "A": {"secret": "s", "key": "k"},
            "B": {"config_map": "c", "key": "k"},
            "C": {"field": "status.podIP"},
        }
    )
    assert found["A"] == {"secretKeyRef": {"name": "s", "key": "k"}}
    assert found["B"] == {"configMapKeyRef": {"name": "c", "key": "k"}}
    assert found["C"] == {"fieldRef": {"fieldPath": "status.podIP"}}


def test_a_number_in_env_is_text(env):
    assert env(env={"X": 5})["X"] == "5"


def test_every_cache_lies_on_the_pods_own_volume(env, container):
    mounts = {mount["mountPath"]: mount["name"] for mount in container()["volumeMounts"]}
    caches = ("HOME", "HF_HOME", "HF_DATASETS_CACHE", "XDG_CACHE_HOME", "TRITON_CACHE_DIR", "MPLCONFIGDIR")
    assert all(env()[name].startswith("/var/cache/rallypoint") for name in caches)
    assert mounts["/var/cache/rallypoint"] == mounts["/tmp"] == "scratch"


def test_downloads_are_kept_in_the_cache(env):
    assert env(cache={"pvc": "hub"})["HF_HUB_CACHE"] == "/cache/hub"


def test_a_volume_at_tmp_takes_the_place_of_ours(container):
    mounts = container(volumes=[{"mount": "/tmp", "emptyDir": {}}])["volumeMounts"]
    assert [mount["name"] for mount in mounts if mount["mountPath"] == "/tmp"] == ["volume-0"]


def test_a_volume_may_lie_at_scratch(container):
    mounts = container(volumes=[{"mount": "/scratch/", "emptyDir": {}}])["volumeMounts"]
    assert {"name": "volume-0", "mountPath": "/scratch"} in mounts


def test_devices_have_the_same_request_and_limit(container):
    network = {"rdma": {"resource": "rdma/hca", "count": 8}}
    found = container(resources={"gpus": 8, "cpu": 96, "extra": {"example.com/x": 2}}, network=network)[
        "resources"
    ]
    assert found["requests"] == found["limits"]
    assert found["limits"] == {"cpu": "96", "nvidia.com/gpu": "8", "rdma/hca": "8", "example.com/x": "2"}


def test_rdma_brings_its_capability_and_its_switch(container, env):
    network = {"rdma": {"resource": "rdma/hca"}}
    capabilities = container(network=network)["securityContext"]["capabilities"]
    assert capabilities == {"drop": ["ALL"], "add": ["IPC_LOCK"]}
    assert env(network=network)["NCCL_IB_DISABLE"] == "0"


def test_the_interface_is_for_nccl_and_gloo(env):
    found = env(network={"interface": "eth1"})
    assert (found["NCCL_SOCKET_IFNAME"], found["GLOO_SOCKET_IFNAME"]) == ("eth1", "eth1")


def test_the_pod_is_restricted_by_default(pod):
    spec = pod()
    assert spec["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "fsGroup": 1000,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert spec["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert (spec["automountServiceAccountToken"], spec["enableServiceLinks"]) == (False, False)


def test_no_user_leaves_user_and_group_to_the_platform(job):
    context = render(job(security={"user": None}), {})[-1]["spec"]["template"]["spec"]["securityContext"]
    assert context == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


@pytest.mark.parametrize("security", [{"privileged": True}, {"capabilities": ["SYS_ADMIN"]}])
def test_a_privileged_container_may_escalate(container, security):
    assert "allowPrivilegeEscalation" not in container(security=security)["securityContext"]


def test_host_network_finds_cluster_names(pod):
    assert pod(network={"host_network": True})["dnsPolicy"] == "ClusterFirstWithHostNet"


def test_spread_prefers_and_does_not_demand(pod):
    (constraint,) = pod(scheduling={"spread": "zone"})["topologySpreadConstraints"]
    assert (constraint["topologyKey"], constraint["whenUnsatisfiable"]) == ("zone", "ScheduleAnyway")


def test_a_claim_is_created_for_all_nodes(rendered):
    claim = rendered(output={"pvc": "made", "size": "5Gi"})["made"]["spec"]
    assert claim == {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "5Gi"}}}


def test_a_claim_of_one_node_needs_one_machine(rendered):
    claim = rendered(nodes=1, output={"pvc": "made", "size": "5Gi"})["made"]["spec"]
    assert claim["accessModes"] == ["ReadWriteOnce"]


def test_a_claim_that_is_there_is_not_created(rendered):
    assert "shared" not in rendered()


def test_a_pod_patch_merges_and_deletes(pod):
    spec = pod(pod_patch={"runtimeClassName": "nvidia", "securityContext": {"fsGroup": None}})
    assert spec["runtimeClassName"] == "nvidia"
    assert "fsGroup" not in spec["securityContext"]
    assert spec["securityContext"]["runAsUser"] == 1000


def test_a_container_patch_is_for_the_training_container(pod):
    sidecars = [{"name": "logs", "image": "busybox"}]
    patch = {"resources": {"limits": {"a.b/c": "1"}}}
    first, second = pod(sidecars=sidecars, container_patch=patch)["containers"]
    assert first["resources"]["limits"] == {"a.b/c": "1"}
    assert second == sidecars[0]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"pod_patch": {"containers": []}}, "pod_patch.containers"),
        ({"container_patch": {"command": ["sh"]}}, "container_patch.command"),
        ({"container_patch": {"volumeMounts": []}}, "container_patch.volumeMounts"),
        ({"image": None}, "image"),
        ({"env": {"RALLYPOINT_NODE_INDEX": "0"}}, "env.RALLYPOINT_NODE_INDEX"),
        ({"kind": "statefulset", "output": None}, "output"),
        ({"kind": "trainjob", "ttl": "1h"}, "ttl"),
    ],
)
def test_what_a_cluster_cannot_run_is_refused(job, changes, place):
    with pytest.raises(InputError, match=f"^{place}: "):
        render(job(**changes), {})


def test_what_the_checks_refuse_is_not_let_out(job):
    sidecars = [{"name": "a", "image": "b", "volumeMounts": [{"name": "nowhere", "mountPath": "/x"}]}]
    with pytest.raises(InputError, match="there is no volume 'nowhere'"):
        render(job(sidecars=sidecars), {})


def test_scripts_lie_where_they_lay_beside_the_job_file(rendered):
    scripts = {"train.py": "1", "pkg/model.py": "2", "b c.yaml": "3"}
    objects = rendered(scripts, script={"file": "train.py", "files": ["pkg/model.py", "b c.yaml"]})
    spec = objects["Job"]["spec"]["template"]["spec"]
    items = {i["path"]: i["key"] for i in spec["volumes"][0]["configMap"]["items"]}
    data = objects["ConfigMap"]["data"]
    found = {
        mount["mountPath"]: data[items[mount["subPath"]]]
        for mount in spec["containers"][0]["volumeMounts"]
        if mount["name"] == "config" and "subPath" in mount
    }
    assert found == {"/workspace/train.py": "1", "/workspace/pkg/model.py": "2", "/workspace/b c.yaml": "3"}


def test_scripts_with_the_same_name_do_not_collide(rendered):
    scripts = {"a/b.py": "1", "a.b.py": "2", "a_b.py": "3", "a b.py": "4"}
    data = rendered(scripts, script={"module": "a.b", "files": list(scripts)})["ConfigMap"]["data"]
    assert sorted(text for key, text in data.items() if key.startswith("script.")) == ["1", "2", "3", "4"]


def test_an_inline_script_lies_beside_the_contract(rendered):
    objects = rendered({"inline.py": "print(1)\n"}, script={"inline": "print(1)\n"})
    items = objects["Job"]["spec"]["template"]["spec"]["volumes"][0]["configMap"]["items"]
    assert items[-1]["path"] == "script/inline.py"


def test_too_much_for_a_config_map_is_refused_with_the_sizes(job):
    scripts = {"big.py": "x" * 250_000, "small.py": "x"}
    with pytest.raises(InputError, match=r"too large for a ConfigMap \(\d+ KiB of 240: .*big.py 244 KiB"):
        render(job(script={"file": "big.py", "files": ["small.py"]}), scripts)


def test_an_ordinary_job_has_no_notices(job):
    assert notices(job()) == ()


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"cache": {"hostPath": {"path": "/c"}}}, "cache.hostPath: needs the Pod Security level priv"),
        ({"network": {"host_network": True}}, "network.host_network: needs the Pod Security level priv"),
        ({"network": {"rdma": {"resource": "rdma/hca"}}}, "network.rdma: needs the Pod Security level priv"),
        ({"security": {"privileged": True}}, "security.privileged: needs the Pod Security level priv"),
        ({"security": {"user": 0}}, "security.user: user 0 needs the Pod Security level baseline"),
        (
            {"security": {"capabilities": ["SYS_PTRACE"]}},
            "security.capabilities: need the Pod Security level priv",
        ),
        (
            {"security": {"capabilities": ["CHOWN"]}},
            "security.capabilities: need the Pod Security level base",
        ),
    ],
)
def test_what_needs_more_rights_says_which(job, changes, line):
    (found,) = notices(job(**changes))
    assert found.startswith(line)
