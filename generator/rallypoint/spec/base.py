"""What all models of the spec share, and the scalar types that several of them use.

Refuses to guess: an unknown key is an error, a quoted number is no number.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, WithJsonSchema
from pydantic_core import PydanticCustomError

from rallypoint.quantity import DURATION_PATTERN, QUANTITY_PATTERN, quantity
from rallypoint.spec.written import spelling


class Model(BaseModel):
    """A part of the spec: frozen, strict, no unknown keys; attribute docstrings become the schema's."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True, allow_inf_nan=False
    )


def matching(pattern: str, rule: str, longest: int = 253) -> AfterValidator:
    """Accepts text that matches the whole pattern; the message is `rule` with the value."""
    whole = re.compile(pattern)

    def check(text: str) -> str:
        if len(text) > longest and str(longest) not in rule:
            raise ValueError(f"must have at most {longest} letters (got {len(text)})")
        if len(text) > longest or whole.fullmatch(text) is None:
            raise ValueError(f"{rule} (got {text[:80]!r})")
        return text

    return AfterValidator(check)


def number_as_text(value: Any) -> Any:
    """A number or boolean as it is written; anything else as it is, for the next check."""
    return spelling(value) if isinstance(value, bool | int | float) else value


def by_shape(*tags: str) -> Discriminator:
    """Tells the choices of a union apart by the value's shape, so that one mistake gives one error.

    A tag is `<text>`, `<list>`, `<false>`, or the key in angle brackets that only this choice's map has; the
    first tag is for a map that has none of the keys.
    """

    def shape(value: Any) -> str:
        if isinstance(value, list) and "<list>" in tags:
            return "<list>"
        if isinstance(value, bool) and "<false>" in tags:
            return "<false>"
        if isinstance(value, dict | BaseModel):
            keys = value if isinstance(value, dict) else type(value).model_fields
            return next((tag for tag in tags if tag[1:-1] in keys), tags[0])
        return "<text>"

    return Discriminator(shape)


def unwritten(value: Any, nulls: bool = False, path: tuple[str | int, ...] = ()) -> Any:
    """What is spelled as Kubernetes does, in plain numbers.

    Raises: PydanticCustomError `inside`, with the path, for a null that no merge patch deletes with.
    """
    if isinstance(value, dict):
        return {key: unwritten(inner, nulls, (*path, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [unwritten(inner, nulls, (*path, index)) for index, inner in enumerate(value)]
    if value is None and not nulls:
        text = "has no value (null); give one or remove the key"
        raise PydanticCustomError("inside", "{text}", {"text": text, "path": path})
    if isinstance(value, float) and not math.isfinite(value):
        text = f"must be a finite number (got {spelling(value)})"
        raise PydanticCustomError("inside", "{text}", {"text": text, "path": path})
    if isinstance(value, bool):
        return value
    return int(value) if isinstance(value, int) else float(value) if isinstance(value, float) else value


Verbatim = Annotated[
    dict[str, Any], BeforeValidator(lambda value: unwritten(value) if isinstance(value, dict) else value)
]
"""A map spelled as Kubernetes does."""
Patch = Annotated[
    dict[str, Any],
    BeforeValidator(lambda value: unwritten(value, True) if isinstance(value, dict) else value),
]
"""A map in which null deletes: a merge patch, or arguments of a library."""


def _positive_quantity(text: str) -> str:
    """`text` when it is a quantity above zero that 64 bits hold. Source: apimachinery, resource.Quantity."""
    if re.fullmatch(QUANTITY_PATTERN, text) is None or not 0 < quantity(text) < 2**63:
        raise ValueError(
            f"must be a Kubernetes quantity above 0 and below 8Ei, such as 4, 500m or 16Gi (got {text!r})"
        )
    return text


DNS_1035 = r"[a-z]([-a-z0-9]*[a-z0-9])?"
DNS_1123 = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
DNS_1123_SUBDOMAIN = rf"{DNS_1123}(\.{DNS_1123})*"
LABEL_VALUE = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
QUALIFIED_NAME = rf"({DNS_1123_SUBDOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?"

Name = Annotated[
    str,
    matching(
        DNS_1035,
        "must be lower-case letters, digits and '-', start with a letter and end with a letter or digit",
        63,
    ),
    WithJsonSchema({"type": "string", "pattern": f"^{DNS_1035}$", "maxLength": 63}),
]
"""A DNS-1035 label: what a Service name must be. Source: Kubernetes docs, "Object Names and IDs"."""

Label = Annotated[
    str,
    matching(DNS_1123, "must be lower-case letters, digits and '-', without '-' at either end", 63),
    WithJsonSchema({"type": "string", "pattern": f"^{DNS_1123}$", "maxLength": 63}),
]
ObjectName = Annotated[
    str,
    matching(DNS_1123_SUBDOMAIN, "must be an object's name: lower-case letters, digits, '-' and '.'"),
    WithJsonSchema({"type": "string", "pattern": f"^{DNS_1123_SUBDOMAIN}$", "maxLength": 253}),
]
QualifiedName = Annotated[
    str,
    matching(QUALIFIED_NAME, "must be a qualified name such as nvidia.com/gpu", 317),
    WithJsonSchema({"type": "string", "pattern": f"^{QUALIFIED_NAME}$"}),
]
LabelValue = Annotated[
    str,
    BeforeValidator(number_as_text),
    matching(
        rf"({LABEL_VALUE})?",
        "must be at most 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit",
        63,
    ),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
Text = Annotated[
    str, BeforeValidator(number_as_text), WithJsonSchema({"type": ["string", "number", "boolean"]})
]
"""Text that a bare number or boolean may stand for, as in env values and arguments."""

Quantity = Annotated[
    str,
    BeforeValidator(lambda value: value if isinstance(value, bool) else number_as_text(value)),
    AfterValidator(_positive_quantity),
    WithJsonSchema({"anyOf": [{"type": "string", "pattern": QUANTITY_PATTERN}, {"type": "number"}]}),
]
Duration = Annotated[
    str,
    BeforeValidator(lambda value: value if isinstance(value, bool) else number_as_text(value)),
    matching(DURATION_PATTERN.strip("^$"), "must be a whole number and a unit: 90s, 15m, 24h or 7d"),
    WithJsonSchema({"type": "string", "pattern": DURATION_PATTERN}),
]
AbsolutePath = Annotated[
    str,
    matching(r"/[^\x00-\x1f:]*", "must be an absolute path without ':' or control characters", 4096),
    WithJsonSchema({"type": "string", "pattern": "^/[^\\x00-\\x1f:]*$", "maxLength": 4096}),
]
