"""The Jinja environment: a template prints, it does not decide."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from rallypoint.podview import View
from rallypoint.render.yaml import quote, to_yaml


def _printed(value: Any) -> Any:
    """`value` when it may stand bare in a template: text that a filter made, or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"needs a filter (got {value!r})")
    return value


@cache
def _environment() -> Environment:
    found = Environment(  # noqa: S701 - YAML, not HTML: strings go through `quote`
        loader=PackageLoader("rallypoint.render"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printed,
        auto_reload=False,
    )
    found.filters |= {"quote": quote, "to_yaml": to_yaml}
    return found


def printed(template: str, view: View) -> str:
    """The text of one template with the view's fields in it."""
    return _environment().get_template(f"{template}.yaml.j2").render(view.names())
