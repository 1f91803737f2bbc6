"""What is rendered and held against schemas and rules: examples, maximal fixtures, random specs."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rallypoint.loading import load
from rallypoint.render import render
from rallypoint.spec import Job
from random_specs import KINDS, spec

ROOT = Path(__file__).parents[2]
Object = dict[str, Any]


REFUSED = {("minimal", "statefulset")}
"""Examples that a kind refuses, by test_manifests.py."""


class Case(NamedTuple):
    """One job to render."""

    name: str
    kind: str
    source: Path | int
    """A job file, or the seed of a random spec."""

    @property
    def id(self) -> str:
        """For pytest."""
        return f"{self.name}-{self.kind}"

    @property
    def job(self) -> Job:
        """The job."""
        return loaded(self)[0]

    @property
    def objects(self) -> list[Object]:
        """What it renders to; not a copy."""
        return loaded(self)[1]


@cache
def loaded(case: Case) -> tuple[Job, list[Object]]:
    """The job of a case and its objects."""
    if isinstance(case.source, Path):
        found = load([case.source], [f"kind={case.kind}"], cluster=True)
        return found.job, render(found.job, found.scripts)
    job = Job.model_validate(spec(case.kind, case.source))
    inline = job.script.inline if job.script is not None else None
    return job, render(job, {"inline.py": inline} if inline is not None else {})


def random(kind: str, seed: int) -> Case:
    """The random spec of a seed."""
    return Case(f"random-{seed}", kind, seed)


EXAMPLES = [
    Case(path.parent.name, kind, path)
    for path in sorted(ROOT.glob("examples/*/job.yaml"))
    for kind in KINDS
    if (path.parent.name, kind) not in REFUSED
]
MAXIMAL = [Case("maximal", kind, ROOT / f"tests/fixtures/maximal-{kind}.yaml") for kind in KINDS]
WRITTEN = [*EXAMPLES, *MAXIMAL]
EVERYTHING = [*WRITTEN, *(random(kind, seed) for kind in KINDS for seed in range(12))]
"""All cases of the fast suite."""
