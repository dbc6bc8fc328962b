"""Our scheduler on another's nodes starts each job when a server of our own would have started it."""

from pathlib import Path

import pytest

from tests.kit.bridged import bridged, run_bridged, run_by_itself, workload
from tests.kit.live import nodes


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
async def test_the_starts_are_the_same(tmp_path: Path, policy: str) -> None:
    offers = [nodes("n[1-8]", 4)]
    jobs = workload(300, 32, seed=7)
    alone = await run_by_itself(tmp_path / "alone", policy, jobs, offers)
    async with bridged(tmp_path, policy, offers) as pair:
        found = await run_bridged(pair, jobs)
    assert found == alone
    assert sum(start > job.submit_s for start, job in zip(found, jobs, strict=True)) > 100
