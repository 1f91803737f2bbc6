"""Ways of using the chart that need no cluster: lint, --set, files, packages, subcharts."""

import json

import pytest
import yaml

from chart.helm import CHART, KUBERNETES, Loader, objects, run_helm
from chart.random_values import KINDS, values
from chart.twin import chart_differs, fresh_chart, helm_on, inside, problems, refused, rendered
from rallypoint.loading import load
from rallypoint.render import render, to_yaml

SCRIPT = {"image": "x", "script": {"module": "pkg.train"}}
LINT = ("lint", "--strict", CHART, "--kube-version", KUBERNETES)


def job_file(tmp_path, file="job.yaml", **keys):
    path = tmp_path / file
    path.write_text(to_yaml([keys]))
    return path


def test_lint_finds_nothing_without_values():
    result = run_helm(*LINT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_lint_finds_nothing_with_values(kind, tmp_path):
    path = job_file(tmp_path, **values(kind, 1))
    result = run_helm(*LINT, "-f", path, "--namespace", "research")
    assert result.returncode == 0, result.stdout + result.stderr


def test_values_yaml_sets_nothing():
    assert yaml.safe_load((CHART / "values.yaml").read_text()) is None


def test_set_is_what_the_command_line_makes_of_it(tmp_path):
    sets = [
        "nodes=4",
        "env.A=0.5",
        "script.args={--x,1}",
        "labels.a\\.b/c=2",
        "resources.cpu=3",
        "debug=true",
    ]
    path = job_file(tmp_path, name="a", **SCRIPT)
    expected, _ = rendered(path, sets)
    options = [part for text in sets for part in ("--set", text)]
    assert chart_differs(expected, helm_on(path.read_text(), *options)) == []


def test_set_file_ships_an_inline_script(tmp_path):
    program = "import os\nprint('a: b', \"{{ x }}\")\n"
    (tmp_path / "train.py").write_text(program)
    expected, _ = rendered(job_file(tmp_path, name="a", image="x", script={"inline": program}))
    result = helm_on("name: a\nimage: x\n", "--set-file", f"script.inline={tmp_path / 'train.py'}")
    assert chart_differs(expected, result) == []


def test_set_file_ships_a_script_as_the_refusal_says(tmp_path):
    (tmp_path / "train.py").write_text("print(1)\n")
    path = job_file(tmp_path, name="a", image="x", script={"file": "train.py"})
    expected, _ = rendered(path)
    refusal = problems(helm_on(path.read_text()))
    assert refusal == [
        "script.file: helm cannot read it from your disk (got 'train.py'); give helm what "
        "'rallypoint values' prints, or --set-file 'script.files.train\\.py=PATH'"
    ]
    result = helm_on(path.read_text(), "--set-file", f"script.files.train\\.py={tmp_path / 'train.py'}")
    assert chart_differs(expected, result) == []


def test_files_from_the_disk_are_refused_one_by_one():
    text = "name: a\nimage: x\nscript: {module: m, files: [a.py, b/c.py]}\n"
    assert [line.partition(":")[0] for line in problems(helm_on(text))] == [
        "script.files[0]",
        "script.files[1]",
    ]


def test_values_layer_as_on_the_command_line(tmp_path):
    scheduling = {"queue": "a", "spread": "x/y"}
    team = job_file(tmp_path, "team.yaml", scheduling=scheduling, env={"A": "1", "B": "2"})
    own = {"scheduling": {"queue": None}, "env": {"B": "3"}, "image_pull_secrets": ["s"]}
    job = job_file(tmp_path, name="a", **SCRIPT, **own)
    loaded = load([team, job])
    result = helm_on(None, "-f", team, "-f", job)
    assert chart_differs(render(loaded.job, loaded.scripts), result) == []


def test_a_release_name_of_53_letters_is_a_jobs_name():
    release = "a" * 53
    names = [item["metadata"]["name"] for item in objects(helm_on(to_yaml([SCRIPT]), release=release).stdout)]
    assert f"{release}-rdzv" in names


def test_a_release_name_that_a_kind_cannot_bear_is_refused():
    result = helm_on(to_yaml([{**SCRIPT, "kind": "jobset"}]), release="a" * 53)
    assert problems(result)[0].startswith("name: has 53 letters, but a JobSet with 1 nodes bears 48")


def test_a_release_name_with_a_dot_is_refused():
    assert problems(helm_on(to_yaml([SCRIPT]), release="a.b"))[0].startswith(
        "name: must be lower-case letters"
    )


def test_a_namespace_must_be_the_releases():
    text = to_yaml([{**SCRIPT, "namespace": "research"}])
    assert problems(helm_on(text, "--namespace", "other")) == [
        "namespace: must be the release's (got 'research', but the release goes to 'other'); install with "
        "--namespace research, or leave it out"
    ]
    assert helm_on(text, "--namespace", "research").returncode == 0


def test_a_number_with_a_fraction_is_refused_where_text_is_meant():
    text = "name: a\nimage: x\nscript: {module: m, args: [--lr, 1e-4]}\nenv: {A: 1.10}\nlabels: {a: 0.5}\n"
    keys = [line.partition(":")[0] for line in problems(helm_on(text))]
    assert sorted(keys) == ["env.A", "labels.a", "script.args[1]"]


def test_a_number_that_helm_has_rounded_is_refused():
    text = to_yaml([{**SCRIPT, "annotations": {"a": 90071992547409931}}])
    wanted = "annotations.a: is too large for helm, which has rounded it (got 90071992547409940)"
    assert problems(helm_on(text)) == [f"{wanted}; quote it, or use a smaller number"]


def test_a_whole_number_is_text_where_text_is_meant(tmp_path):
    path = job_file(tmp_path, name="a", **SCRIPT, env={"A": 123456789012345}, annotations={"b": 10**12})
    assert chart_differs(rendered(path)[0], helm_on(path.read_text())) == []


def test_scripts_too_large_for_a_config_map_are_refused_in_the_same_words(tmp_path):
    path = job_file(tmp_path, name="a", image="x", script={"inline": "<" * 60_000 + "\n"})
    ours = refused(path)
    assert ours[0].startswith("script: too large for a ConfigMap")
    assert problems(helm_on(path.read_text())) == ours


HAND_WRITTEN = """\
name: a
kind: JOBSET
nodes: 2
image: x
labels: {yes-1: 'no', 'n': x, b: "", c: 5, d: true}
annotations: {tilde: '~', 'null': 'null', colon: "a: b", sexagesimal: '12:30', octal: '010', hex: '0x1F'}
env:
  'NO': 'no'
  DOLLAR: $(HOME) $$ ${x}
  MULTI: |
    two
      lines

  FOLDED: >-
    folded
    text
  EMPTY: ''
  NUMBER: 1000000
  FLAG: false
resources: {cpu: 1.5, memory: 1.5Gi, gpus: 1, extra: {a.b/c: 2}}
train:
  task: text-classification
  model: a/b
  dataset: {path: d}
  training_args:
    eval_strategy: no
    save_strategy: epoch
    learning_rate: 2e-5
    num_train_epochs: 3.0
    logging_steps: 10
    max_grad_norm: .5
    weight_decay: 1.e-2
    optim_args: "1e3"
    fsdp_config: {min_num_params: 100000000, x: [1, 2.5, null, no-1, "off"]}
output: &out {pvc: made, size: 10Gi}
cache: *out
security: {user: ~}
pod_patch: {priority: 1000000, x: {z: null}, dnsPolicy: null}
"""


def test_hand_written_yaml_with_awkward_scalars_means_the_same(tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text(HAND_WRITTEN)
    expected, text = rendered(path)
    assert chart_differs(expected, helm_on(HAND_WRITTEN)) == []
    assert chart_differs(expected, helm_on(text)) == []


@pytest.mark.parametrize(
    "text", ["a\n\u2028b", "end\n", "end\n\n", "two\nlines\n\n\n", "\n", "a\u00a0", "\u3000", "a<no value>b"]
)
def test_the_ends_of_lines_stay_in_their_text(tmp_path, text):
    sidecar = {"name": "logs", "image": "y", "args": [text]}
    spec = {"name": "a", **SCRIPT, "annotations": {"zz": text}, "env": {"A": text}, "sidecars": [sidecar],
            "pod_patch": {"zz": text}}  # fmt: skip
    path = job_file(tmp_path, **spec)
    assert chart_differs(rendered(path)[0], helm_on(path.read_text())) == []


def test_the_same_values_give_the_same_bytes():
    text = to_yaml([values("jobset", 3)])
    first, second = (helm_on(text, "--namespace", "research").stdout for _ in range(2))
    assert first == second
    assert first


def test_no_template_reads_the_clock_chance_or_the_cluster_on_a_first_install():
    sources = {path.name: path.read_text() for path in (CHART / "templates").rglob("*.*")}
    words = ("now ", "date ", "rand", "uuid", "genCA", "htpasswd")
    assert [(name, word) for name, text in sources.items() for word in words if f"{{{{ {word}" in text] == []
    assert [name for name, text in sources.items() if " lookup " in text] == ["_view-living.tpl"]


def test_a_packaged_chart_gives_the_same(tmp_path):
    result = run_helm("package", fresh_chart(), "--destination", tmp_path)
    assert result.returncode == 0, result.stderr
    package = next(tmp_path.glob("rallypoint-*.tgz"))
    text = to_yaml([{"name": "a", **SCRIPT}])
    packaged = run_helm("template", "r", package, "--kube-version", KUBERNETES, "-f", "-", given=text)
    assert chart_differs(list(objects(helm_on(text).stdout)), packaged) == []


def test_it_works_as_a_subchart(tmp_path):
    parent = tmp_path / "parent"
    (parent / "charts").mkdir(parents=True)
    (parent / "charts/rallypoint").symlink_to(fresh_chart())
    (parent / "Chart.yaml").write_text("apiVersion: v2\nname: parent\nversion: 1.0.0\n")
    spec = {"name": "a", **SCRIPT, "security": {"user": None}}
    (parent / "values.yaml").write_text(to_yaml([{"global": {"x": 1}, "rallypoint": spec}]))
    result = run_helm("template", "r", parent, "--kube-version", KUBERNETES)
    assert result.returncode == 0, result.stderr
    ours = [item for item in objects(result.stdout) if item["kind"] != "Inside"]
    alone = objects(helm_on(to_yaml([spec])).stdout)
    assert json.dumps(ours, sort_keys=True) == json.dumps(alone, sort_keys=True)


def test_a_trainjobs_runtime_comes_before_and_goes_after():
    text = to_yaml([{**SCRIPT, "kind": "trainjob"}])
    items = [item for item in yaml.load_all(helm_on(text).stdout, Loader) if item]
    runtimes = [item for item in items if item["kind"] == "TrainingRuntime"]
    hooks = {item["metadata"]["annotations"]["helm.sh/hook"]: item for item in runtimes}
    assert set(hooks) == {"pre-install", "post-delete"}
    assert hooks["pre-install"]["spec"] == hooks["post-delete"]["spec"]
    policy = hooks["post-delete"]["metadata"]["annotations"]["helm.sh/hook-delete-policy"]
    assert set(policy.split(",")) == {"before-hook-creation", "hook-succeeded", "hook-failed"}


def test_claims_are_kept():
    text = to_yaml([{**SCRIPT, "output": {"pvc": "made", "size": "1Gi"}}])
    claim = next(item for item in objects(helm_on(text).stdout) if item["kind"] == "PersistentVolumeClaim")
    assert claim["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


def test_the_test_pod_is_none_of_the_jobs_pods():
    items = objects(helm_on(to_yaml([SCRIPT])).stdout, hooks=("test",))
    pod = next(item for item in items if item["kind"] == "Pod")
    assert "rallypoint.dev/job" not in pod["metadata"]["labels"]


def test_inside_is_only_printed_on_demand():
    assert inside(to_yaml([SCRIPT]))[0]["kind"] == "job"
    assert "Inside" not in helm_on(to_yaml([SCRIPT])).stdout


OLD_NAMES = [
    {"warmup_ratio": 0.1},
    {"evaluation_strategy": "no"},
    {"evaluation_strategy": "epoch", "per_gpu_train_batch_size": 4},
    {"group_by_length": True, "save_safetensors": True},
    {"group_by_length": False, "adafactor": True},
    {"adafactor": False, "include_tokens_per_second": True, "include_inputs_for_metrics": True},
    {"torchdynamo": "inductor"},
]


@pytest.mark.parametrize("arguments", OLD_NAMES, ids="+".join)
def test_old_names_of_training_arguments_become_todays(tmp_path, arguments):
    train = {"task": "text-classification", "model": "a/b", "dataset": {"path": "x"}}
    spec = {"name": "a", "image": "x", "output": {"pvc": "o"}, "train": {**train, "training_args": arguments}}
    path = job_file(tmp_path, **spec)
    assert chart_differs(rendered(path)[0], helm_on(path.read_text())) == []


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1])
def test_a_number_that_helm_has_rounded_to_the_limit_is_refused(number):
    result = helm_on(to_yaml([{"name": "a", **SCRIPT, "env": {"A": number}}]))
    assert result.returncode == 1
    assert "env.A: is too large for helm, which has rounded it" in result.stderr
