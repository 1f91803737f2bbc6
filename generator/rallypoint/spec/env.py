"""`env` and `env_from`: environment variables of the training processes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag, WithJsonSchema, model_validator

from rallypoint.spec.base import Model, ObjectName, Text, by_shape, matching

ENV_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
EnvName = Annotated[
    str,
    matching(ENV_NAME, "must be a variable's name: letters, digits and '_', not starting with a digit", 1000),
    WithJsonSchema({"type": "string", "pattern": f"^{ENV_NAME}$"}),
]
KEY = r"[-._A-Za-z0-9]+"
Key = Annotated[
    str,
    matching(KEY, "must be a key of a Secret or ConfigMap: letters, digits, '-', '_' and '.'"),
    WithJsonSchema({"type": "string", "pattern": f"^{KEY}$"}),
]


class SecretKey(Model):
    """A value out of a Secret."""

    secret: ObjectName
    """Name of the Secret."""
    key: Key
    """Key in it."""


class ConfigMapKey(Model):
    """A value out of a ConfigMap."""

    config_map: ObjectName
    """Name of the ConfigMap."""
    key: Key
    """Key in it."""


class PodField(Model):
    """A value that Kubernetes knows of the pod."""

    field: str = Field(min_length=1)
    """The field's path, as status.podIP."""


EnvValue = Annotated[
    Annotated[SecretKey, Tag("<secret>")]
    | Annotated[ConfigMapKey, Tag("<config_map>")]
    | Annotated[PodField, Tag("<field>")]
    | Annotated[Text, Tag("<text>")],
    by_shape("<secret>", "<config_map>", "<field>"),
]


class EnvFrom(Model):
    """All keys of one Secret or ConfigMap as variables."""

    secret: ObjectName | None = None
    """Name of the Secret."""
    config_map: ObjectName | None = None
    """Name of the ConfigMap."""
    prefix: EnvName | None = None
    """Put before each key."""

    @model_validator(mode="after")
    def _one_source(self) -> EnvFrom:
        if (self.secret is None) == (self.config_map is None):
            found = "none" if self.secret is None else "both"
            raise ValueError(f"needs exactly one of secret and config_map (got {found})")
        return self
