"""The contract of a living job, also where somebody has written something else into its ConfigMap."""

import pytest

from rallypoint.cluster.contract import count, living_contract


class OneConfigMap:
    """A cluster that answers with this text as every ConfigMap's contract."""

    def __init__(self, text):
        self.text = text

    def get(self, *_):
        return {"data": {"contract.json": self.text}}


@pytest.mark.parametrize(
    "text", ["[1,2]", "5", "not json", "", '{"nodes": "x"}', '{"nodes": -1}', '{"nodes": true}', "[" * 5000]
)
def test_an_odd_contract_counts_no_nodes(text):
    assert count(living_contract(OneConfigMap(text), "research", "tiny"), "nodes", 0) == 0


def test_a_contract_counts_its_nodes():
    assert count(living_contract(OneConfigMap('{"nodes": 3}'), "research", "tiny"), "nodes", 0) == 3
