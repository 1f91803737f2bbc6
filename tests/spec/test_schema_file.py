"""docs/job.schema.json, which editors are pointed to, is what `rallypoint schema` prints."""

import json
from pathlib import Path

from rallypoint.spec.schema import json_schema

SHIPPED = Path(__file__).parents[2] / "docs/job.schema.json"


def test_the_shipped_schema_is_fresh():
    assert json.loads(SHIPPED.read_text()) == json_schema(), "run `make schema`"
