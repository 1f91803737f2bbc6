"""Several documents as one, as helm layers its values: maps merge deep, all else replaces, null deletes."""

from __future__ import annotations

from rallypoint.loading.tree import Tree


def layered(below: Tree, above: Tree) -> Tree:
    """`above` laid over `below`; a null over an earlier value leaves the key out."""
    if not isinstance(below.value, dict) or not isinstance(above.value, dict):
        return above
    merged = dict(below.value)
    for key, tree in above.value.items():
        earlier = merged.get(key)
        if earlier is not None and isinstance(earlier.value, dict) and isinstance(tree.value, dict):
            merged[key] = Tree(tree.place, layered(earlier, tree).value)
        elif earlier is not None and tree.value is None and not tree.doubt:
            del merged[key]
        else:
            merged[key] = tree
    return Tree(above.place, merged)
