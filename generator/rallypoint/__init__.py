"""Rallypoint: one validated YAML spec becomes a distributed PyTorch run, the same on a laptop and a cluster.

The typed API is `load`, `render` and `Job`:

    from rallypoint import load, render

    loaded = load(["job.yaml"], [])
    objects = render(loaded.job, loaded.scripts)

Importing this package imports nothing heavy: each name is fetched when it is first used.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rallypoint.errors import InputError, JobFailed, RallypointError, SpecError
    from rallypoint.loading import Loaded, load
    from rallypoint.render import render
    from rallypoint.spec import Job

    __version__: str

__all__ = [
    "InputError", "Job", "JobFailed", "Loaded", "RallypointError", "SpecError", "__version__", "load",
    "render",
]  # fmt: skip

_HOMES = {
    "InputError": "rallypoint.errors",
    "Job": "rallypoint.spec",
    "JobFailed": "rallypoint.errors",
    "Loaded": "rallypoint.loading",
    "RallypointError": "rallypoint.errors",
    "SpecError": "rallypoint.errors",
    "load": "rallypoint.loading",
}
"""Where each public name is defined."""


def __getattr__(name: str) -> Any:
    """The public name `name`, imported now; `__version__` from the installed package's metadata."""
    from importlib import import_module, metadata

    if name == "__version__":
        return metadata.version("rallypoint")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'rallypoint' has no attribute {name!r}")


class _Package(ModuleType):
    """This package, on which `render` stays the function whenever the folder `render` is imported."""

    @property
    def render(self) -> Any:
        """`rallypoint.render.render`."""
        from importlib import import_module

        return import_module("rallypoint.render").render

    @render.setter
    def render(self, folder: ModuleType) -> None:
        """Nothing: the import system binds the folder of the same name here."""


sys.modules[__name__].__class__ = _Package
