"""Objects against the API server's schemas, unknown fields refused: Kubernetes' own and the operators'."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
from jsonschema import Draft7Validator

SCHEMAS = Path(__file__).parents[1] / "schemas"
KUBERNETES = "1.34"
ANY_INT_OR_TEXT = {"anyOf": [{"type": "integer"}, {"type": "string"}]}


def closed(schema: Any) -> Any:
    """A CRD's schema with unknown fields refused, as the API server does with fieldValidation=Strict."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string"):
        return ANY_INT_OR_TEXT
    result = {
        key: item
        for key, item in schema.items()
        if key not in ("properties", "items", "additionalProperties")
    }
    if "properties" in schema:
        result["properties"] = {key: closed(item) for key, item in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            result["additionalProperties"] = False
    for key in ("items", "additionalProperties"):
        if key in schema:
            result[key] = closed(schema[key])
    return result


def top(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` with the metadata that every object has."""
    text_map = {"type": "object", "additionalProperties": {"type": "string"}}
    fields = {
        "name": {"type": "string"},
        "namespace": {"type": "string"},
        "labels": text_map,
        "annotations": text_map,
    }
    schema["properties"]["metadata"] = {"type": "object", "properties": fields, "additionalProperties": False}
    return schema


@cache
def validators() -> dict[tuple[str, str], Draft7Validator]:
    """A validator for each operator's kind, by apiVersion and kind."""
    found = {}
    for path in sorted(SCHEMAS.glob("*.json")):
        document = json.loads(path.read_text())
        key = (f"{document['group']}/{document['version']}", document["kind"])
        found[key] = Draft7Validator(top(closed(document["schema"])))
    return found


def duplicates(value: Any, schema: Any, path: str = "") -> list[str]:
    """Entries given twice in lists that are maps by some keys, as `ports` by port and protocol."""
    if not isinstance(schema, dict):
        return []
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return [
            d for key, item in value.items() for d in duplicates(item, properties.get(key), f"{path}.{key}")
        ]
    if not isinstance(value, list):
        return []
    keys = schema.get("x-kubernetes-list-map-keys", [])
    names = [tuple(str(item.get(key)) for key in keys) for item in value] if keys else []
    found = [f"{path}: {name} twice" for name in names if names.count(name) > 1]
    return found + [d for item in value for d in duplicates(item, schema.get("items"), path)]


def faults(item: dict[str, Any]) -> list[str]:
    """What the API server would refuse about `item` by its schema; empty for a valid object."""
    validator = validators().get((item["apiVersion"], item["kind"]))
    if validator is None:
        try:
            kubernetes_validate.validate(item, KUBERNETES, strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
            return [f"{item['kind']}: {getattr(error, 'message', error)}"]
        return []
    errors = [f"{item['kind']}: {list(error.path)}: {error.message}" for error in validator.iter_errors(item)]
    return errors + duplicates(item, validator.schema)
