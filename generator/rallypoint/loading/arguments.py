"""`training_args` under today's names, before anything else looks at them."""

from __future__ import annotations

from rallypoint.loading.tree import Finding, Path, Tree, child, dotted, plain, planted, replaced
from rallypoint.spec.training import mapped

_HERE: Path = ("train", "training_args")


def modern(tree: Tree) -> tuple[Tree, list[Finding]]:
    """The tree with old arguments under today's names, and a notice for each; the rules see to the rest."""
    train = child(tree, "train")
    given = child(train, "training_args") if train is not None else None
    if given is None or not isinstance(given.value, dict):
        return tree, []
    changed = mapped(plain(given))
    arguments: dict[str, Tree] = {}
    for name, argument in given.value.items():
        today = changed.names.get(name, str(name))
        value = changed.arguments.get(today)
        if name not in changed.names and (value is None or plain(argument) == value):
            arguments[name] = argument
        elif today:
            arguments[today] = planted(value, argument.place)
    place = given.place
    notices = [
        Finding(given.value[name].place, dotted((*_HERE, name)), text) for name, text in changed.notices
    ]
    return replaced(tree, _HERE, Tree(place, arguments)), notices
