"""Writes manifests/: what each example renders to, on each kind that accepts it.

    python tools/manifests.py            # write
    python tools/manifests.py --check    # name what is not as it should be, and end with 1

A kind that an example cannot have is named with its reason in manifests/README.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rallypoint.errors import SpecError
from rallypoint.loading import load
from rallypoint.render import render, to_yaml
from rallypoint.spec import KINDS

ROOT = Path(__file__).resolve().parents[1]
MANIFESTS = ROOT / "manifests"


def manifest(example: Path, kind: str) -> str:
    """The manifest of an example on one kind.

    Raises: SpecError when the kind does not accept it.
    """
    loaded = load([example], [f"kind={kind}"], cluster=True)
    head = f"# {example.relative_to(ROOT)} as {KINDS[kind]}; made by tools/manifests.py.\n"  # type: ignore[index]
    return head + to_yaml(render(loaded.job, loaded.scripts))


def wanted() -> dict[Path, str]:
    """Every file of manifests/ with its text."""
    found: dict[Path, str] = {}
    lines = [
        "# Manifests",
        "",
        "What each example renders to; `make manifests` writes them. `kubectl apply -f` takes each as it is.",
        "",
        "| example | kinds |",
        "|---|---|",
    ]
    refused = []
    for example in sorted((ROOT / "examples").glob("*/job.yaml")):
        name, kinds = example.parent.name, []
        for kind in KINDS:
            try:
                found[MANIFESTS / name / f"{kind}.yaml"] = manifest(example, kind)
                kinds.append(f"[{KINDS[kind]}]({name}/{kind}.yaml)")
            except SpecError as error:
                refused += [
                    f"- {name} as {KINDS[kind]}: {found.key}: {found.text}" for found in error.problems
                ]
        lines.append(f"| [{name}](../examples/{name}/job.yaml) | {', '.join(kinds)} |")
    if refused:
        lines += ["", "Not there, because the kind refuses it:", "", *refused]
    found[MANIFESTS / "README.md"] = "\n".join(lines) + "\n"
    return found


def stale(files: dict[Path, str]) -> list[str]:
    """Every file that is missing, superfluous or different."""
    there = {path for path in MANIFESTS.rglob("*") if path.is_file()}
    wrong = {path for path, text in files.items() if path not in there or path.read_text() != text}
    return sorted(str(path.relative_to(ROOT)) for path in wrong | (there - set(files)))


def main(arguments: list[str]) -> int:
    """Write the files, or compare them."""
    files = wanted()
    if arguments == ["--check"]:
        for path in stale(files):
            print(f"{path}: not as tools/manifests.py writes it; run make manifests")
        return bool(stale(files))
    for name in stale(files):
        (ROOT / name).unlink(missing_ok=True)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
