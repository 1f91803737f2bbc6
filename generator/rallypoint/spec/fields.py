"""The fields of the spec by their path: what may stand where.

Serves did-you-mean, the reference page and the schema. Refuses to validate: the models do.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from types import UnionType
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rallypoint.spec.job import Job


def _choices(annotation: Any) -> Iterator[Any]:
    """The types that an annotation allows, without Annotated and unions."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _choices(typing.get_args(annotation)[0])
    elif origin in (typing.Union, UnionType):
        for argument in typing.get_args(annotation):
            yield from _choices(argument)
    elif origin is typing.Literal:
        yield from {type(value) for value in typing.get_args(annotation)}
    else:
        yield annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _inside(annotation: Any, part: str | int) -> Iterator[Any]:
    """What may stand under a key or index of a value of this type."""
    for choice in _choices(annotation):
        if _is_model(choice):
            if part in choice.model_fields:
                yield choice.model_fields[part].annotation
        elif typing.get_origin(choice) is dict and isinstance(part, str):
            yield typing.get_args(choice)[1]
        elif typing.get_origin(choice) is list and isinstance(part, int):
            yield typing.get_args(choice)[0]


def types_at(path: tuple[str | int, ...]) -> list[Any]:
    """The types that a value at `path` may have; empty where the spec has no such place."""
    found: list[Any] = [Job]
    for part in path:
        found = [
            choice
            for annotation in found
            for inside in _inside(annotation, part)
            for choice in _choices(inside)
        ]
    return found


def means_text(path: tuple[str | int, ...]) -> bool:
    """Whether a number or boolean at `path` stands for text."""
    types = types_at(path)
    return str in types and not {bool, int, float} & set(types)


def fields_at(path: tuple[str | int, ...]) -> dict[str, FieldInfo]:
    """The fields that may stand in the map at `path`; empty where the keys are free or there is no map."""
    models = [choice for choice in types_at(path) if _is_model(choice)]
    return {name: field for model in models for name, field in model.model_fields.items()}


def all_fields(model: type[BaseModel] = Job, prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every field with its dotted key, `[]` after a list's and `.*` after a free map's, in order."""
    for name, field in model.model_fields.items():
        yield f"{prefix}{name}", field
        for mark, inner in _models(field.annotation):
            yield from all_fields(inner, f"{prefix}{name}{mark}.")


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in a type."""
    for _mark, model in _models(annotation):
        yield model


def _models(annotation: Any, mark: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """The models in a type, with the mark of the list or map around each."""
    for choice in _choices(annotation):
        if _is_model(choice):
            yield mark, choice
        elif typing.get_origin(choice) is list:
            yield from _models(typing.get_args(choice)[0], "[]")
        elif typing.get_origin(choice) is dict:
            yield from _models(typing.get_args(choice)[1], ".*")
