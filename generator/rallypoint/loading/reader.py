"""Reads one YAML document into a tree with places, and says what is wrong with it as YAML.

Refuses tags, several documents, duplicate keys, keys that are no text, and documents that grow without bound
through aliases. Reads YAML's events, not objects: so no value is built before it is known to be harmless.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from rallypoint.loading.scalars import scalar
from rallypoint.loading.syntax import syntax_finding
from rallypoint.loading.tree import Finding, Place, Tree
from rallypoint.spec.written import spelling

DEEPEST = 50
"""Levels of nesting; a job file needs about ten."""
MOST_VALUES = 100_000
"""Values after aliases are followed; a job file has some hundred."""
_TEXT_TAGS = {"!", "tag:yaml.org,2002:str"}
_KNOWN_TAGS = {*_TEXT_TAGS, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}


class Unreadable(Exception):
    """Reading must stop here; carries the finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding


class _Frame:
    """A map or list that is being read."""

    def __init__(self, tree: Tree, anchor: str | None) -> None:
        self.tree = tree
        self.anchor = anchor
        self.key: str | None = None
        self.key_place: Place | None = None
        self.merges: list[Tree] = []


def _is_nothing(event: Any) -> bool:
    """Whether the event adds nothing to an empty document."""
    if isinstance(event, ScalarEvent):
        return event.value == "" and event.style is None and event.tag is None and event.anchor is None
    return isinstance(event, DocumentEndEvent | StreamEndEvent)


class Reader:
    """Builds the tree of one document; `findings` holds what was wrong but did not stop the reading."""

    def __init__(self, file: str, layer: int) -> None:
        self.file = file
        self.layer = layer
        self.findings: list[Finding] = []
        self.root: Tree | None = None
        self._frames: list[_Frame] = []
        self._anchors: dict[str, Tree] = {}
        self._size = 0

    def read(self, text: str) -> Tree | None:
        """The document's tree; None when there is no document.

        Raises: Unreadable when no tree can be made.
        """
        starts = []
        try:
            for event in self._events(text):
                if isinstance(event, DocumentStartEvent):
                    starts.append(event)
                elif len(starts) < 2:
                    self._take(event)
                elif not _is_nothing(event):  # a closing --- begins a document too, an empty one
                    self._stop(starts[-1], "a second document starts here; keep one job per file")
        except YAMLError as error:
            raise Unreadable(syntax_finding(error, text, self.file, self.layer)) from error
        return self.root

    def _events(self, text: str) -> Iterator[Any]:
        yield from YAML(typ="safe", pure=True).parse(text)

    def _take(self, event: Any) -> None:
        """One event into the tree."""
        if isinstance(event, MappingEndEvent | SequenceEndEvent):
            self._close()
        elif isinstance(event, AliasEvent):
            self._alias(event)
        elif isinstance(event, ScalarEvent):
            self._scalar(event)
        elif isinstance(event, MappingStartEvent | SequenceStartEvent):
            self._open(event)

    def _place(self, event: Any) -> Place:
        mark = event.start_mark
        return Place(self.layer, mark.line + 1, mark.column, self.file)

    def _stop(self, event: Any, text: str) -> NoReturn:
        raise Unreadable(Finding(self._place(event), "", text))

    def _scalar(self, event: Any) -> None:
        tag = self._tag(event)
        bare = event.style is None and tag is None
        value, doubt = scalar(event.value) if bare else (_paired(event.value), "")
        if self._wants_key():
            self._key(event, value, doubt, bare)
            return
        tree = Tree(self._place(event), value, doubt, written=event.value if isinstance(value, bool) else "")
        if event.anchor:
            self._anchors[event.anchor] = tree
        self._add(event, tree)

    def _tag(self, event: Any) -> str | None:
        tag = None if event.tag is None else str(event.tag)
        if tag is not None and tag not in _KNOWN_TAGS:
            short = tag.replace("tag:yaml.org,2002:", "!!")
            self.findings.append(
                Finding(self._place(event), "", f"a tag is not supported ({short}); write the plain value")
            )
        return tag

    def _wants_key(self) -> bool:
        frame = self._frames[-1] if self._frames else None
        return frame is not None and isinstance(frame.tree.value, dict) and frame.key is None

    def _key(self, event: Any, value: Any, doubt: str, bare: bool) -> None:
        """A scalar in the place of a key."""
        frame = self._frames[-1]
        place = self._place(event)
        if value is None:
            self._stop(event, "a key is missing before the ':'; write one")
        key = value if isinstance(value, str) else spelling(value)
        if doubt or (isinstance(value, bool) and event.value != key):
            text = (
                f"YAML 1.1 (helm) reads this bare key as {doubt or key}, YAML 1.2 as text; quote it: '{key}'"
            )
            self.findings.append(Finding(place, self._dotted(key), text))
        if not (bare and key == "<<") and key in frame.tree.value:
            first = frame.tree.value[key].place.line
            text = f"the key is given twice (first in line {first}); keep one"
            self.findings.append(Finding(place, self._dotted(key), text))
        frame.key, frame.key_place = ("<<" if bare and key == "<<" else key), place

    def _dotted(self, key: str) -> str:
        """The dotted key of `key` in the map that is being read."""
        parts = ""
        for frame in self._frames:
            if isinstance(frame.tree.value, list):
                parts += f"[{len(frame.tree.value)}]"
            elif frame is not self._frames[-1]:
                parts += ("." if parts else "") + str(frame.key)
        return f"{parts}.{key}" if parts else key

    def _open(self, event: Any) -> None:
        if self._wants_key():
            self._stop(event, "a map or list stands where a key is expected; write a text key")
        if len(self._frames) >= DEEPEST:
            self._stop(event, f"nested deeper than {DEEPEST} levels; flatten it")
        self._tag(event)
        value: Any = {} if isinstance(event, MappingStartEvent) else []
        self._frames.append(_Frame(Tree(self._place(event), value), event.anchor))

    def _close(self) -> None:
        frame = self._frames.pop()
        for source in frame.merges:
            for key, tree in source.value.items():
                frame.tree.value.setdefault(key, tree)
        value = frame.tree.value
        inside = list(value.values()) if isinstance(value, dict) else value
        frame.tree.size = 1 + sum(tree.size for tree in inside)
        frame.tree.depth = 1 + max((tree.depth for tree in inside), default=0)
        if frame.anchor:
            self._anchors[frame.anchor] = frame.tree
        self._attach(frame.tree)

    def _alias(self, event: Any) -> None:
        found = self._anchors.get(event.anchor)
        if found is None:
            self._stop(
                event, f"the alias *{event.anchor} has no complete anchor before it; define &{event.anchor}"
            )
        if self._wants_key():
            self._stop(event, "an alias stands where a key is expected; write a text key")
        if len(self._frames) + found.depth > DEEPEST:
            self._stop(event, f"nested deeper than {DEEPEST} levels, aliases followed; flatten it")
        self._add(event, replace(found, place=self._place(event)))

    def _add(self, event: Any, tree: Tree) -> None:
        """A finished value, counted against the bound."""
        self._size += tree.size
        if self._size > MOST_VALUES:
            self._stop(event, f"more than {MOST_VALUES} values, aliases followed; write a smaller document")
        self._attach(tree)

    def _attach(self, tree: Tree) -> None:
        """`tree` into the map or list around it."""
        if not self._frames:
            self.root = tree
            return
        frame = self._frames[-1]
        if isinstance(frame.tree.value, list):
            frame.tree.value.append(tree)
            return
        assert frame.key is not None
        assert frame.key_place is not None
        key, place = frame.key, frame.key_place
        frame.key = None
        if key == "<<":
            self._merge(frame, place, tree)
        else:
            frame.tree.value.setdefault(key, replace(tree, place=place))

    def _merge(self, frame: _Frame, place: Place, tree: Tree) -> None:
        """A merge key's maps, the first one strongest."""
        sources = tree.value if isinstance(tree.value, list) else [tree]
        if all(isinstance(source.value, dict) for source in sources):
            frame.merges += sources
        else:
            self.findings.append(
                Finding(place, "<<", "a merge key takes a map or a list of maps; give an alias of one")
            )


def _paired(text: str) -> str:
    """`text` with escaped surrogate pairs as the characters that they stand for, as JSON has them."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    )
