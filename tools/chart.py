"""Writes the generated parts of charts/rallypoint: what the chart must know is said once, in Python.

python tools/chart.py          write them
python tools/chart.py --check  name those that are out of date, and end with 1
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from chart_schema import values_schema

from rallypoint.contract import POD_OUTPUT, POD_WORKDIR
from rallypoint.loading.scripts import LARGEST_SCRIPTS
from rallypoint.podview.build import BACKOFF_LIMIT, COMMAND
from rallypoint.podview.cluster import LARGEST_CONFIG
from rallypoint.podview.config import CONFIG_MOUNT, launcher_files
from rallypoint.podview.environment import DEBUG, WRITABLE
from rallypoint.podview.label import NO_MESH
from rallypoint.podview.notice import BASELINE_CAPABILITIES
from rallypoint.podview.storage import CACHE_MOUNT, SCRATCH_MOUNT, SHM_MOUNT, TEMPORARY_MOUNT
from rallypoint.render import render
from rallypoint.spec import KINDS, Job, KindName
from rallypoint.spec.base import DNS_1035, DNS_1123
from rallypoint.spec.fields import all_fields
from rallypoint.spec.kinds import LACKS, LONGEST_DERIVED, LONGEST_NAME, having
from rallypoint.spec.rules import credentials, pod, program, storage
from rallypoint.spec.storage import VOLUME_SOURCES
from rallypoint.spec.training import NO_MEANS_NO, TRAINING_ARGS, VERSION
from rallypoint.spec.training.old import CONVERTED, GONE, RENAMED
from rallypoint.spec.training.table import OWNED
from rallypoint.topology import (
    CONTAINER_NAMES,
    ENDPOINT_PORT_NAMES,
    NODE_INDEX_ENV,
    NODE_INDEX_LABELS,
    OWNER_LABEL,
)

ROOT = Path(__file__).parents[1]
CHART = ROOT / "charts/rallypoint"
JUDGED_TOGETHER = (
    "load_best_model_at_end", "eval_strategy", "save_strategy", "save_steps", "eval_steps", "logging_steps",
    "fp16", "bf16", "fp16_full_eval", "bf16_full_eval", "lr_scheduler_type", "dataloader_num_workers",
    "dataloader_prefetch_factor", "dataloader_persistent_workers",
)  # fmt: skip
"""Arguments that the rules between arguments look at."""


def written(value: Any) -> str:
    """`value` as the JSON that the chart holds."""
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


def defaults() -> dict[str, Any]:
    """What a job has that the values do not say; `name` is the release's."""
    found: dict[str, Any] = Job(name="x").model_dump(mode="json")
    del found["name"]
    return found


def api_version(kind: KindName) -> str:
    """The workload's apiVersion, as its template prints it."""
    least = {"name": "x", "image": "x", "script": {"module": "x"}, "output": {"pvc": "x"}}
    return str(render(Job.model_validate({**least, "kind": kind}), {})[-1]["apiVersion"])


def tables() -> dict[str, Any]:
    """The constants of names, kinds, pods and rules that the templates look up."""
    return {
        "kinds": {
            kind: {
                "title": title,
                "api_version": api_version(kind),
                "container": CONTAINER_NAMES[kind],
                "index_label": NODE_INDEX_LABELS[kind],
                "port_name": ENDPOINT_PORT_NAMES[kind],
                "longest_name": LONGEST_NAME[kind],
                "longest_derived": LONGEST_DERIVED[kind],
            }
            for kind, title in KINDS.items()
        },
        "lacks": LACKS,
        "having": {field: ", ".join(KINDS[kind] for kind in having(field)) for field in LACKS},
        "pod": {
            "owner_label": OWNER_LABEL,
            "index_variable": NODE_INDEX_ENV,
            "no_mesh": NO_MESH,
            "backoff_limit": BACKOFF_LIMIT,
            "command": COMMAND,
            "writable": WRITABLE,
            "debug": DEBUG,
            "mounts": {
                "config": CONFIG_MOUNT,
                "scratch": SCRATCH_MOUNT,
                "temporary": TEMPORARY_MOUNT,
                "shm": SHM_MOUNT,
                "cache": CACHE_MOUNT,
                "output": POD_OUTPUT,
                "workdir": POD_WORKDIR,
            },
            "volume_sources": VOLUME_SOURCES,
            "baseline_capabilities": sorted(BASELINE_CAPABILITIES),
        },
        "rules": _rules(),
        "training": _training(),
    }


def _rules() -> dict[str, Any]:
    """What the rules of rallypoint.spec.rules compare with."""
    return {
        "dns_1035": DNS_1035,
        "dns_1123": DNS_1123,
        "shortest_grace_seconds": program.SHORTEST_GRACE_SECONDS,
        "longest_ttl_seconds": program.LONGEST_TTL_SECONDS,
        "largest_config": LARGEST_CONFIG,
        "largest_scripts": LARGEST_SCRIPTS,
        "ours": storage.OURS,
        "system": storage.SYSTEM,
        "read_only": storage.READ_ONLY,
        "ends_with_the_pod": storage.ENDS_WITH_THE_POD,
        "one_node": storage.ONE_NODE,
        "own_variables": sorted(pod.OWN_VARIABLES),
        "own_prefixes": pod.OWN_PREFIXES,
        "label_domains": pod.LABEL_DOMAINS,
        "containers": pod.CONTAINERS,
        "owned": {"pod_patch": pod.POD_OWNED, "container_patch": pod.CONTAINER_OWNED},
        "credentials": [{"what": what, "pattern": text} for what, text in credentials.PATTERNS.items()],
        "secret_names": f"^(?:{credentials.SECRET_NAMES.pattern})$",
    }


def _training() -> dict[str, Any]:
    """What the rules of rallypoint.spec.training compare with."""
    return {
        "version": VERSION,
        "strategies": NO_MEANS_NO,
        "owned": OWNED,
        "gone": GONE,
        **_old_names(),
        "defaults": {name: TRAINING_ARGS[name].default for name in JUDGED_TOGETHER},
    }


def _old_names() -> dict[str, Any]:
    """The old names by what becomes of them: of a flag that is true, of any value, or of none."""
    when_true = {name: convert(True) for name, (_, convert) in CONVERTED.items()}
    valued = {name: CONVERTED[name][1](0.5) for name, change in when_true.items() if isinstance(change, str)}
    return {
        "renamed": RENAMED | {name: change[0] for name, change in valued.items()},
        "flags": {name: change for name, change in when_true.items() if isinstance(change, tuple)},
        "without_effect": [name for name, change in when_true.items() if change is None],
    }


def field_table() -> str:
    """Every key of the values with its meaning, as a Markdown table."""
    rows = ["| key | meaning |", "|---|---|"]
    for key, field in all_fields():
        meaning = " ".join((field.description or "").split()).replace("|", "\\|").replace("<", "&lt;")
        if not (key.startswith(("cache.", "volumes[].")) and key.rpartition(".")[2] in VOLUME_SOURCES):
            rows.append(f"| `{key}` | {meaning} |")
    return "\n".join(rows)


def kind_table() -> str:
    """Which fields a kind refuses, and how long its names may be, as a Markdown table."""
    rows = [f"| | {' | '.join(KINDS.values())} |", "|---|" + "---|" * len(KINDS)]
    for field, kinds in LACKS.items():
        cells = (kinds.get(kind, "yes") for kind in KINDS)
        rows.append(
            f"| `{field}` | " + " | ".join(cell if cell == "yes" else f"no: {cell}" for cell in cells) + " |"
        )
    longest = " | ".join(str(LONGEST_NAME[kind]) for kind in KINDS)
    return "\n".join([*rows, f"| letters of `name`, up to ten nodes | {longest} |"])


def between(text: str, mark: str, table: str) -> str:
    """`text` with `table` between the two comments that carry `mark`."""
    start, end = f"<!-- {mark}: written by tools/chart.py -->", f"<!-- end of {mark} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"README.md: the marks of {mark!r} are missing")
    return f"{before}{start}\n{table}\n{end}{after}"


def generated() -> dict[Path, str]:
    """Every generated file with what it should hold."""
    readme = (CHART / "README.md").read_text(encoding="utf-8")
    readme = between(between(readme, "kinds", kind_table()), "fields", field_table())
    return {
        CHART / "values.schema.json": written(values_schema()),
        CHART / "files/defaults.json": written(defaults()),
        CHART / "files/tables.json": written(tables()),
        CHART / "README.md": readme,
        **{CHART / "files/launcher" / name: text for name, text in launcher_files().items()},
    }


def stale() -> list[str]:
    """Files that differ from what should be there, and launcher files that should not be there at all."""
    expected = generated()
    found = {
        path
        for path, text in expected.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    found |= set((CHART / "files/launcher").glob("*.py")) - set(expected)
    return sorted(str(path.relative_to(ROOT)) for path in found)


def main() -> int:
    """The exit code: 1 when `--check` finds something out of date."""
    old = stale()
    if "--check" in sys.argv[1:]:
        print("".join(f"{path}: out of date; run python tools/chart.py\n" for path in old), end="")
        return 1 if old else 0
    for path, text in generated().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in set((CHART / "files/launcher").glob("*.py")) - set(generated()):
        path.unlink()
    print("".join(f"{path}\n" for path in old), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
