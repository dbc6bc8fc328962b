"""Jobs with target rates are placed by the policy in force among nodes with room, or wait for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from molokini.feedback.keeping import Keeps
from molokini.model.errors import Conflict
from molokini.model.facts import NO_INDEX, JobStarted
from molokini.model.job_specs import Resources
from molokini.server.queries.explanations import explain
from molokini.server.state.jobs import JobStatus
from molokini.server.state.rooms import mark_rooms, processors_together
from molokini.server.turn.aiming import AimJob, Asked
from tests.kit.live import Story, again, live, nodes, spec_of

POLICIES = ("fcfs", "easy", "firstfit", "maui", "slurm")
COUNTING = (
    "conservative",
    "easy-depth",
    "sita-e",
    "sita-u",
    "random",
    "round-robin",
    "least-work-left",
    "adaptive",
)
"""Policies that count processors, and give each job some of its own. The nodes decide where these are."""


@asynccontextmanager
async def two_nodes(policy: str = "easy", cores: int = 1) -> AsyncIterator[Story]:
    """Two nodes of eight processors that real processes share, on so many cores each."""
    async with live(policy, [nodes("n[1-2]", 8, real=True)]) as story:
        story.state.cores = lambda name: cores
        yield story


async def rated(story: Story, rate: str, **spec: Any) -> int:
    found = await story.submit(argv=["x"], run_s=1000.0, estimate_s=2000.0, rate=rate, **spec)
    # Some policies look at the queue only every few seconds.
    await story.advance(5.0)
    return found


def where(story: Story, job: int) -> list[str]:
    return [story.state.machine.nodes[number].name for number, _ in story.run(job).nodes]


def why(story: Story, job: int) -> tuple[str, str]:
    found = explain(story.core, story.job(job), story.run(job))
    return found.rule, found.text


@pytest.mark.quick("easy", "conservative", "maui")
@pytest.mark.parametrize("policy", [*POLICIES, *COUNTING])
async def test_the_policy_places_a_job_where_its_rate_has_room(policy: str) -> None:
    async with two_nodes(policy) as story:
        jobs = [await rated(story, rate) for rate in ("60%", "50%", "30%", "40%")]
        places = [where(story, job) for job in jobs]
    first, second = places[0], places[1]
    assert first != second
    assert places == [first, second, first, second]


@pytest.mark.quick("easy", "slurm", "easy-depth", "sita-e")
@pytest.mark.parametrize("policy", [*POLICIES, *COUNTING])
async def test_a_job_without_room_waits_and_starts_when_there_is_some(policy: str) -> None:
    """Room is there when it is submitted, and gone when it is released."""
    async with two_nodes(policy) as story:
        late = await rated(story, "50%", held=True)
        jobs = [await rated(story, "60%") for _ in range(2)]
        await story.release(late)
        await story.advance(5.0)
        assert story.status(late) == JobStatus.WAITING
        rule, text = why(story, late)
        assert (rule, story.state.tables.nodes.free[:2, 0].tolist()) == ("rate", [7, 7])
        assert text == ("its rate needs room for 50% of a core on a node: there is 30% on n1, 30% on n2 left")
        await story.do(AimJob(jobs[1], NO_INDEX, "root", Asked("40%", 1.0), lambda: 7.0))
        await story.advance(120.0)
        assert where(story, late) == where(story, jobs[1])
        assert (await again(story.journal)).rows.room_bits == story.state.rows.room_bits


async def test_all_nodes_of_a_job_have_room_or_it_waits() -> None:
    async with two_nodes() as story:
        late = await rated(story, "50%", nodes=2, held=True)
        other = await rated(story, "60%")
        await story.release(late)
        told = "room for 50% of a core on 2 nodes, and 1 have it: there is 90% on n2, 30% on n1 left"
        assert why(story, late) == ("rate", f"its rate needs {told}")
        await story.cancel(other)
        assert where(story, late) == ["n1", "n2"]


async def test_room_is_that_of_cores() -> None:
    """Two cores with 50% left each have no room for 60%, although together they have more."""
    async with two_nodes(cores=2) as story:
        late = await rated(story, "60%", held=True)
        wide = await rated(story, "30%", processors_per_node=2, nodes=1, held=True)
        jobs = [await rated(story, "40%") for _ in range(6)]
        assert [where(story, job) for job in jobs] == [["n1"]] * 4 + [["n2"]] * 2
        await story.release(late)
        assert why(story, late)[0] == "rate"
        await story.release(wide)
        assert where(story, wide) == ["n2"]
        last = await rated(story, "20%")
        assert where(story, last) == ["n2"]


async def test_room_is_taken_by_what_a_program_uses_alone() -> None:
    async with two_nodes() as story:
        jobs = [await rated(story, "50%", full_use=0.28, full_rate=1.0) for _ in range(7)]
        # 14% of a core each: six on the first node.
        assert [where(story, job) for job in jobs] == [["n1"]] * 6 + [["n2"]]
        await story.do(AimJob(jobs[6], NO_INDEX, "root", Asked("100%"), lambda: 7.0))
        found = story.state.aims[jobs[6], NO_INDEX]
        assert (found.target, found.share) == (1_000_000, 280_000)
        assert story.state.sliced[jobs[6], NO_INDEX].slice_s == pytest.approx(0.056)
        with pytest.raises(Conflict, match="28% finds no room: there is 20% on n1 left"):
            await story.do(AimJob(jobs[0], NO_INDEX, "root", Asked("100%"), lambda: 7.0))
        await story.do(AimJob(jobs[6], NO_INDEX, "root", Asked("100%", use=140_000), lambda: 7.0))
        assert story.state.aims[jobs[6], NO_INDEX].share == 140_000


async def test_jobs_that_start_in_one_pass_do_not_take_the_same_room() -> None:
    async with two_nodes() as story:
        late = [await rated(story, "50%", held=True) for _ in range(3)]
        passes = story.core.reactor.passes
        for job in late:
            await story.release(job)
        assert [story.status(job) for job in late] == [JobStatus.RUNNING] * 2 + [JobStatus.WAITING]
        assert story.core.reactor.passes < passes + 20
        assert len({*where(story, late[0]), *where(story, late[1])}) == 2


async def test_a_submission_of_many_has_room_one_after_the_other() -> None:
    async with two_nodes() as story:
        specs = [spec_of(1000.0, 2000.0, argv=["x"], rate="50%") for _ in range(3)]
        jobs = await story.submit_many(specs)
        assert [story.status(job) for job in jobs] == [JobStatus.RUNNING] * 2 + [JobStatus.WAITING]
        assert where(story, jobs[0]) != where(story, jobs[1])
        assert why(story, jobs[2])[0] == "rate"
        await story.advance(1000.0)
        assert story.status(jobs[2]) == JobStatus.RUNNING
        placed = [fact.placed for fact in story.journal.facts(JobStarted)]
        assert len(placed) == 3


async def test_nodes_that_do_not_keep_the_slices_are_left_out() -> None:
    async with two_nodes() as story:
        story.state.keeps = lambda name: Keeps(least_slice=30_000_000) if name == "n1" else Keeps()
        assert where(story, await rated(story, "10%")) == ["n2"]
        assert where(story, await rated(story, "20%")) == ["n1"]


async def test_more_rates_than_bits_start_all_the_same() -> None:
    async with two_nodes() as story:
        late = await rated(story, "89%", held=True)
        for k in range(1, 17):
            await rated(story, f"{k / 2}%" if k > 1 else "0.6%")
        assert len(story.state.rows.room_bits) == 12
        await story.release(late)
        assert story.status(late) == JobStatus.WAITING
        assert why(story, late)[0] == "rate"


async def test_a_rate_that_was_taken_off_stays_off() -> None:
    async with two_nodes() as story:
        job = await rated(story, "60%", full_rate=1.0)
        await story.do(AimJob(job, NO_INDEX, "root", Asked(""), lambda: 7.0))
        assert where(story, await rated(story, "80%")) == where(story, job)
        assert story.state.aims[job, NO_INDEX].rate == ""
        assert (await again(story.journal)).aims == story.state.aims
        await story.do(AimJob(job, NO_INDEX, "root", Asked("10%", 1.0), lambda: 7.0))
        assert story.state.aims[job, NO_INDEX].target == 100_000


async def test_jobs_at_rates_go_to_real_nodes_of_a_mixed_cluster() -> None:
    async with live("easy", [nodes("n1", 1), nodes("n2", 8, real=True)]) as story:
        jobs = [await rated(story, "60%") for _ in range(2)]
        assert [where(story, job) for job in jobs] == [["n2"], ["n2"]]


async def test_a_job_that_waited_for_nodes_goes_where_all_pretend() -> None:
    async with live("easy", []) as story:
        job = await rated(story, "60%")
        await story.join([nodes("n1", 2)])
        await story.settled()
        assert story.status(job) == JobStatus.RUNNING


async def test_what_nodes_have_beside_bits_of_rooms_stays() -> None:
    async with live("easy", [nodes("n1", 8, real=True, features=["big"])]) as story:
        story.state.cores = lambda name: 1
        before = story.state.tables.nodes.features.tolist()
        job = await rated(story, "60%", features=["big"])
        mark_rooms(story.state)
        bit = story.state.rows.room_bits[600_000, 1]
        assert story.state.tables.nodes.features.tolist() == before
        await story.cancel(job)
        mark_rooms(story.state)
        assert story.state.tables.nodes.features.tolist() == [one | bit for one in before]


@pytest.mark.parametrize(
    ("resources", "found"),
    [
        ({}, 1),
        ({"processors": 4}, 4),
        ({"nodes": 2}, 1),
        ({"nodes": 2, "processors": 6}, 3),
        ({"nodes": 2, "processors_per_node": 5}, 5),
    ],
)
def test_processors_of_one_node(resources: Resources, found: int) -> None:
    assert processors_together({"resources": resources}) == found


@pytest.mark.parametrize("policy", ["ps", "gs", "bgs"])
async def test_where_jobs_share_processors_in_time_they_start_without_regard_to_room(policy: str) -> None:
    async with two_nodes(policy) as story:
        late = await rated(story, "50%", held=True)
        jobs = [*[await rated(story, "60%") for _ in range(2)], late]
        await story.release(late)
        assert not story.state.rows.room_bits
        assert [story.status(job) for job in jobs] == [JobStatus.RUNNING] * 3


async def test_a_plan_by_counts_goes_on_beside_a_job_without_room() -> None:
    """It is due, and no node takes it: others start beside it, and the server does not spin."""
    async with two_nodes("conservative") as story:
        late = await rated(story, "50%", held=True)
        rated_jobs = [await rated(story, "60%") for _ in range(2)]
        await story.release(late)
        passes = story.core.reactor.passes
        plain = [await story.submit(run_s=50.0, estimate_s=60.0, processors=4) for _ in range(5)]
        await story.advance(200.0)
        assert [story.status(job) for job in plain] == [JobStatus.COMPLETED] * 5
        assert story.core.reactor.passes < passes + 40
        assert story.status(late) == JobStatus.WAITING
        [place] = where(story, rated_jobs[0])
        await story.cancel(rated_jobs[0])
        await story.advance(1.0)
        assert where(story, late) == [place]
