"""Every key of values.schema.json is set by some values that the tests give to helm."""

import json

from chart.helm import CHART
from chart.random_values import KINDS, keys_in, values
from chart.test_random import PER_KIND
from chart.test_rules import MORE
from rallypoint.spec.fields import all_fields
from rallypoint.spec.training.old import CONVERTED, GONE, RENAMED
from rallypoint.spec.training.table import OWNED

SCHEMA = json.loads((CHART / "values.schema.json").read_text())
HERE = "train.training_args"


def schema_keys(schema=SCHEMA, prefix=""):
    """Every key that the schema knows by name, with `[]` for items and `.*` for free keys."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    found = set()
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}.{name}".lstrip(".")
        found |= {path} | schema_keys(inner, path)
    for inner in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        found |= schema_keys(inner, prefix)
    for inner in schema.get("patternProperties", {}).values():
        found |= schema_keys(inner, f"{prefix}.*")
    if isinstance(schema.get("items"), dict):
        found |= schema_keys(schema["items"], f"{prefix}[]")
    return found


def exercised():
    """The keys that the random job files and the cases of the rules set."""
    given = [values(kind, seed) for kind in KINDS for seed in range(PER_KIND)] + list(MORE.values())
    found = {"global"}  # set by every look inside
    for spec in given:
        found |= keys_in(spec)
        found |= {f"{HERE}.{name}" for name in (spec.get("train") or {}).get("training_args", {})}
    return found


def test_the_schema_knows_the_specs_fields_and_global():
    without_arguments = {key for key in schema_keys() if not key.startswith(f"{HERE}.")}
    assert without_arguments == {key for key, _ in all_fields()} | {"global"}


def test_every_key_is_exercised():
    never = {f"{HERE}.{name}" for name in [*OWNED, *GONE, *RENAMED, *CONVERTED]}
    assert sorted(schema_keys() - exercised() - never) == []
