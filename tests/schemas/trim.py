"""Writes the operators' schemas beside this file, without their prose, out of the operators' Go modules.

    for m in github.com/kubeflow/training-operator@v1.9.3 sigs.k8s.io/jobset@v0.11.1 \\
             github.com/kubeflow/trainer/v2@v2.2.0; do go mod download $m; done
    python tests/schemas/trim.py "$(go env GOMODCACHE)"
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

OPERATOR = "github.com/kubeflow/training-operator@v1.9.3/manifests/base/crds"
JOBSET = "sigs.k8s.io/jobset@v0.11.1/config/components/crd/bases"
TRAINER = "github.com/kubeflow/trainer/v2@v2.2.0/manifests/base/crds"
SOURCES = {
    "pytorchjob": f"{OPERATOR}/kubeflow.org_pytorchjobs.yaml",
    "jobset": f"{JOBSET}/jobset.x-k8s.io_jobsets.yaml",
    "trainjob": f"{TRAINER}/trainer.kubeflow.org_trainjobs.yaml",
    "trainingruntime": f"{TRAINER}/trainer.kubeflow.org_trainingruntimes.yaml",
}


def without_prose(schema: Any, names: bool = False) -> Any:
    """`schema` without descriptions; `names`: its keys are fields, and one may be called `description`."""
    if isinstance(schema, list):
        return [without_prose(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: item for key, item in schema.items() if names or key != "description"}
    return {key: without_prose(item, key == "properties" and not names) for key, item in kept.items()}


def main(modules: Path) -> None:
    """Read every CRD, write its only version's schema."""
    for name, source in SOURCES.items():
        document = yaml.load((modules / source).read_text(), Loader=yaml.CSafeLoader)
        (version,) = document["spec"]["versions"]
        schema = without_prose(version["schema"]["openAPIV3Schema"])
        schema["properties"].pop("status", None)
        trimmed = {
            "source": source,
            "group": document["spec"]["group"],
            "version": version["name"],
            "kind": document["spec"]["names"]["kind"],
            "schema": schema,
        }
        text = json.dumps(trimmed, sort_keys=True, separators=(",", ":"))
        (Path(__file__).parent / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
