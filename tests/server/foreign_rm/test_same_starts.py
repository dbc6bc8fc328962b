"""Our scheduler on another's nodes starts each job when a server of our own would have started it."""

from pathlib import Path

import pytest

from tests.kit.bridged import bridged, on_nodes, run_bridged, run_by_itself, workload
from tests.kit.live import nodes


@pytest.mark.dear("a log runs under a foreign resource manager")
@pytest.mark.deep
@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
async def test_the_starts_are_the_same(tmp_path: Path, policy: str) -> None:
    offers = [nodes("n[1-8]", 4)]
    jobs = workload(300, 32, seed=7)
    alone = await run_by_itself(tmp_path / "alone", policy, jobs, offers)
    async with bridged(tmp_path, policy, offers) as pair:
        found = await run_bridged(pair, jobs)
    assert found == alone
    assert sum(start > job.submit_s for start, job in zip(found, jobs, strict=True)) > 100


async def test_the_starts_and_places_of_jobs_on_nodes_are_the_same(tmp_path: Path) -> None:
    offers = [nodes("n[1-8]", 4)]
    jobs = on_nodes(workload(100, 32, seed=11), seed=11)
    alone = await run_by_itself(tmp_path / "alone", "easy", jobs, offers)
    async with bridged(tmp_path, "easy", offers) as pair:
        assert await run_bridged(pair, jobs) == alone
        ours, theirs = pair.scheduler.core.state.jobs, pair.manager.core.state.jobs
        names = {job.id: int(job.spec["submission_key"].split(":")[1].split("@")[0]) for job in ours.values()}
        for number, name in names.items():
            own, other = ours[number].element, theirs[name].element
            assert own is not None
            assert other is not None
            assert sorted(own.nodes) == sorted(other.nodes)
