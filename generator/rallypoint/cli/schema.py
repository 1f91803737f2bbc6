"""`rallypoint schema`: the spec as JSON Schema."""

from __future__ import annotations

from rallypoint.cli.files import Debug
from rallypoint.cli.messages import put_json

EXAMPLES = """\
rallypoint schema > rallypoint.schema.json
# then, as the first line of job.yaml, for an editor with a YAML language server:
# yaml-language-server: $schema=rallypoint.schema.json"""


def schema(debug: Debug = False) -> None:
    """Print the JSON Schema of a job file, for editors."""
    from rallypoint.spec.schema import json_schema

    put_json(json_schema())
