"""What is said of jobs that no nodes could ever hold: how much there is of what they ask too much of."""

from typing import Any

import pytest

from molokini.model.errors import BadValue
from tests.kit.live import live, nodes

OFFERS = [
    nodes("n[1-3]", 4, memory_kb=8000),
    nodes("g1", 4, memory_kb=16_000, generic={"gpu": 2}, features=["fast"]),
]
LARGEST = "the largest node that it may have has"


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        (
            {"generic": {"gpu": 3}},
            f"resources.generic.gpu: 3 is not allowed; it must be at most 2, as many as {LARGEST}",
        ),
        (
            {"memory_kb": 16_001},
            "resources.memory_kb: 16001 is not allowed; it must be at most 16,000 a processor: "
            f"{LARGEST} 16,000 kB",
        ),
        (
            {"nodes": 1, "processors_per_node": 4, "memory_kb": 5000},
            "resources.memory_kb: 5000 is not allowed; it must be at most 4,000 a processor: "
            f"{LARGEST} 16,000 kB for 4 processors",
        ),
        (
            {"nodes": 1, "processors_per_node": 5},
            f"resources.processors_per_node: 5 is not allowed; it must be at most 4, as many as {LARGEST}",
        ),
        (
            {"nodes": 2, "generic": {"gpu": 1}},
            "resources: '2 nodes, 1 gpu' is not allowed; it must be at most 1 node: no more have that much",
        ),
        (
            {"processors": 12, "memory_kb": 4000},
            "resources: '12 processors, 4,000 kB of memory a processor' is not allowed; "
            "it must be at most 10 processors with that much each",
        ),
        (
            {"processors": 5, "features": ["fast"]},
            "resources: '5 processors, nodes with fast' is not allowed; "
            "it must be at most 4 processors with that much each",
        ),
    ],
)
async def test_it_is_said_how_much_there_is(wish: dict[str, Any], text: str) -> None:
    async with live(offers=OFFERS) as story:
        with pytest.raises(BadValue) as refused:
            await story.submit(**wish)
        assert str(refused.value) == text
