"""Text of the spec arrives in the process as it was written."""

import json

import pytest

AWKWARD = {
    "colon": "a: b",
    "template": "{{ x }} {% y %}",
    "kubernetes": "$(X) $$(Y)",
    "shell": "$HOME `id` ; & | > *",
    "newlines": "one\ntwo\n\nfour\n",
    "emoji": "\U0001f680 \u00fc \u6f22",
    "quotes": 'it\'s "quoted" \\ and \\n',
    "spaces": "  both ends  ",
    "number": "5",
    "word": "no",
    "empty": "",
    "percent": "%s %(x)s {0}",
}
PROGRAM = """
import json, os, sys
with open("seen.json", "w", encoding="utf-8") as file:
    json.dump({"env": dict(os.environ), "args": sys.argv[1:]}, file)
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What one process of a job with awkward strings finds."""
    import subprocess
    import sys

    folder = tmp_path_factory.mktemp("awkward")
    env = {f"V_{name}": value for name, value in AWKWARD.items()}
    spec = {"name": "awkward", "script": {"inline": PROGRAM, "args": list(AWKWARD.values())}, "env": env}
    (folder / "job.yaml").write_text(json.dumps(spec, ensure_ascii=False), encoding="utf-8")  # JSON is YAML
    subprocess.run([sys.executable, "-m", "rallypoint", "run"], cwd=folder, check=True, timeout=60)
    return json.loads((folder / "seen.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", AWKWARD)
def test_an_environment_value_arrives_as_written(seen, name):
    assert seen["env"][f"V_{name}"] == AWKWARD[name]


def test_arguments_arrive_as_written(seen):
    assert seen["args"] == list(AWKWARD.values())
