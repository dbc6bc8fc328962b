"""Divisible jobs in a live server: taken, admitted or refused, run by the model, changed, lost."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from molokini.applications.divisible import Costs
from molokini.model.codec import Entry
from molokini.model.errors import BadValue, Conflict
from molokini.model.facts import JobEnded, JobMolded, JobStarted
from molokini.model.job_specs import JobSpec
from molokini.proto.v1 import jobs_pb2 as wire
from molokini.server.services.listing import list_page
from molokini.server.state.queues import Queue
from molokini.server.translate import JobFields, chunks_of, job_to_wire, promise_of, spec_from_wire
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import SetQueue
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, Story, again, live
from tests.kit.live_picture import assert_same, assert_sound

COSTS = {"send_s": 1.0, "compute_s": 100.0}

POLICY = "edf-opr-mn"


def load(size: float, after_s: float = 0.0, **more: Any) -> JobSpec:
    made: Any = {"load": size, **COSTS, **more}
    return {"divisible": made | ({"deadline_after_s": after_s} if after_s else {}), "estimate_s": 0.0}


def takes(size: float, processors: int, rule: str = "opr") -> float:
    return Costs(1.0, 100.0).execution_s(rule, size, processors)


async def promised(story: Story, size: float, after_s: float = 0.0) -> tuple[int, wire.Promise]:
    number = await story.submit(**load(size, after_s))
    return number, promise_of(story.run(number))


async def test_it_is_admitted_on_the_fewest_processors_that_do() -> None:
    async with live(POLICY) as story:
        number, promise = await promised(story, 10.0, takes(10.0, 3))
        assert promise.verdict == wire.Promise.ADMITTED
        assert (promise.start_s, promise.processors) == (0.0, 3)
        assert promise.end_s == promise.deadline_s == takes(10.0, 3)
        assert sum(processors for _, processors in story.run(number).nodes) == 3
        await story.advance(takes(10.0, 3))
        assert story.status(number) == "completed"
        assert story.run(number).end_s == takes(10.0, 3)
        assert story.run(number).deadline_met is True
        assert story.state.deadlines == {"met": 1}


async def test_a_queue_takes_loads_as_wide_as_its_jobs_may_be() -> None:
    async with live(POLICY, queues=(Queue("narrow", max_processors=3),)) as story:
        number, promise = await promised(story, 10.0, takes(10.0, 3))
        assert story.job(number).request.processors == 3
        assert (promise.verdict, promise.processors) == (wire.Promise.ADMITTED, 3)
        with pytest.raises(BadValue, match="at most 3 in queue narrow"):
            await story.submit(processors=4)


class Slow(MemoryJournal):
    """Others get a word in while it writes."""

    async def append(self, entries: Sequence[Entry]) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        await super().append(entries)


async def test_the_answer_waits_for_the_pass() -> None:
    async with live(POLICY, journal=Slow()) as story:
        answer = story.core.reactor.post(Submit("ann", [load(10.0, takes(10.0, 2))], story.limits))
        # Without waiting for anything but the answer.
        [number] = await answer
        assert promise_of(story.run(number)).verdict == wire.Promise.ADMITTED
        kinds = [type(fact).__name__ for fact in story.journal.facts()]
        assert kinds[-3:] == ["JobsSubmitted", "JobMolded", "JobStarted"]


async def test_it_waits_for_a_start_that_it_is_promised() -> None:
    async with live(POLICY) as story:
        first, _ = await promised(story, 100.0, takes(100.0, 16))
        later = takes(100.0, 16)
        second, promise = await promised(story, 10.0, later + takes(10.0, 4))
        assert (promise.verdict, promise.start_s, promise.processors) == (wire.Promise.ADMITTED, later, 4)
        assert story.status(second) == "waiting"
        await story.advance(later)
        assert story.status(first) == "completed"
        assert story.run(second).start_s == later
        await story.advance(takes(10.0, 4))
        assert story.run(second).end_s == later + takes(10.0, 4)
        assert story.run(second).deadline_met


async def test_it_is_refused_with_a_reason_for_machines() -> None:
    async with live(POLICY) as story:
        number, promise = await promised(story, 100.0, takes(100.0, 16) * 0.99)
        assert (promise.verdict, promise.refusal) == (wire.Promise.REFUSED, "deadline_too_tight")
        assert story.status(number) == "refused"
        await promised(story, 100.0, takes(100.0, 16))
        _, promise = await promised(story, 100.0, takes(100.0, 16) * 1.5)
        assert (promise.verdict, promise.refusal) == (wire.Promise.REFUSED, "deadline_not_guaranteed")
        assert promise.start_s == promise.processors == promise.end_s == 0
        assert story.state.deadlines == {"refused": 2}


@pytest.mark.parametrize("policy", ["edf-opr-mn", "edf-epr-mn", "fifo-opr-an"])
async def test_a_refusal_says_which_deadline_would_have_been_met(policy: str) -> None:
    async with live(policy) as story:
        rule = policy.split("-")[1]
        await promised(story, 100.0, takes(100.0, 16, rule))
        for size in (10.0, 20.0, 30.0):
            _, refusal = await promised(story, size, takes(100.0, 16, rule) * 1.001)
            assert refusal.verdict == wire.Promise.REFUSED
            offer_s = refusal.earliest_deadline_s
            assert offer_s > refusal.deadline_s
            # A little less will not do; with the offer itself it is admitted, and meets it.
            _, less = await promised(story, size, offer_s * (1 - 1e-12))
            assert (less.verdict, less.earliest_deadline_s) == (wire.Promise.REFUSED, offer_s)
            number, promise = await promised(story, size, offer_s)
            assert (promise.verdict, promise.deadline_s) == (wire.Promise.ADMITTED, offer_s)
            assert promise.end_s <= offer_s
        await story.advance(offer_s)
        assert story.run(number).deadline_met
        assert "missed" not in story.state.deadlines


async def test_an_offer_outlives_a_restart() -> None:
    journal = MemoryJournal()
    async with live(POLICY, journal=journal) as story:
        number, promise = await promised(story, 100.0, 1.0)
        assert promise.earliest_deadline_s == takes(100.0, 16)
        assert_same(await again(journal), story.state)
    async with live(POLICY, journal=MemoryJournal(journal.entries, 2)) as story:
        assert promise_of(story.run(number)) == promise


async def test_its_chunks_are_counted_by_the_model() -> None:
    async with live(POLICY) as story:
        number, _ = await promised(story, 8.0, takes(8.0, 4))
        seen = []
        for _ in range(3):
            told = chunks_of(
                story.run(number), job_to_wire(story.job(number), story.run(number), story.state).work_s
            )
            seen.append((told.rule, told.chunks, told.sent, told.computed))
            await story.advance(2.5)
        assert seen[0] == ("opr", 4, 0, 0)
        assert [sent for _, _, sent, _ in seen] == [0, 1, 2]


async def test_without_a_dividing_policy_it_takes_all_processors() -> None:
    async with live("fcfs") as story:
        number, promise = await promised(story, 10.0, takes(10.0, 16) + 1.0)
        assert promise.verdict == wire.Promise.VERDICT_UNSPECIFIED
        narrow = await story.submit(**load(10.0), processors=4)
        await story.advance(takes(10.0, 16))
        assert (story.status(number), story.run(number).end_s) == ("completed", takes(10.0, 16))
        await story.advance(takes(10.0, 4))
        assert story.run(narrow).end_s == takes(10.0, 16) + takes(10.0, 4)


async def test_a_deadline_that_was_missed_is_told_as_soon_as_it_is() -> None:
    async with live("fcfs") as story:
        number = await story.submit(**load(10.0, takes(10.0, 16) / 2))
        await story.advance(takes(10.0, 16) * 0.75)
        told = job_to_wire(story.job(number), story.run(number), story.state)
        assert told.HasField("deadline_met")
        assert not told.deadline_met
        await story.advance(takes(10.0, 16))
        assert story.state.deadlines == {"missed": 1}


async def test_listings_tell_met_from_missed() -> None:
    async with live("fcfs") as story:
        met = await story.submit(**load(1.0, takes(1.0, 16)))
        missed = await story.submit(**load(1.0, takes(1.0, 16)))
        await story.submit(run_s=1.0)
        await story.advance(1000.0)
        for wanted, number in ((True, met), (False, missed)):
            request = _listing(deadline_met=wanted, include_ended=True)
            found: list[JobFields] = []
            await list_page(story.state, story.core.history, request, found.append, None, 100, lambda _: True)
            assert [job["id"] for job in found] == [number]


def _listing(**fields: Any) -> Any:
    from molokini.proto.v1.job_service_pb2 import ListJobsRequest

    return ListJobsRequest(**fields)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        *(({"load": value}, "divisible.load") for value in (0.0, -1.0, 5e-324, float("nan"), float("inf"))),
        *(({"send_s": value}, "divisible.send_s") for value in (-1.0, 5e-324, 0.0)),
        *(({"compute_s": value}, "divisible.compute_s") for value in (0.0, float("inf"))),
        ({"setup_send_s": float("nan")}, "divisible.setup_send_s"),
        *(({"deadline_after_s": value}, "divisible.deadline_after_s") for value in (-1.0, 0.0, float("nan"))),
    ],
)
async def test_what_a_load_cannot_mean_is_refused_by_its_field(asked: dict[str, float], field: str) -> None:
    async with live(POLICY) as story:
        with pytest.raises((BadValue, Conflict), match=field):
            await story.submit(**load(10.0, **asked))


@pytest.mark.parametrize(
    ("more", "field"),
    [
        *(({"deadline_s": value}, "deadline_s") for value in (99.0, -1.0, float("nan"))),
        *(({"estimate_s": 5.0}, "estimate_s"), ({"array": {"first": 1, "last": 3}}, "array")),
        *(({"nodes": 2}, "resources.nodes"), ({"memory_kb": 2}, "resources.memory_kb")),
        *(({"processors": value}, "processors") for value in (17, -1)),
    ],
)
async def test_what_does_not_go_with_a_load_is_refused(more: dict[str, Any], field: str) -> None:
    async with live(POLICY, start_s=100.0) as story:
        with pytest.raises((BadValue, Conflict), match=field):
            await story.submit(**{**load(10.0), **more})
        assert not story.state.jobs


async def test_costs_are_the_clusters_where_the_job_does_not_say() -> None:
    async with live(POLICY) as story:
        bare: dict[str, Any] = {"divisible": {"load": 10.0}, "estimate_s": 0.0}
        with pytest.raises(Conflict, match="send_s"):
            await story.submit(**bare)
        story.limits = Limits(costs=(1.0, 100.0, 0.5, 0.0))
        number = await story.submit(**bare)
        assert story.job(number).load == (10.0, 1.0, 100.0, 0.5, 0.0)
        cheap = await story.submit(
            divisible={"load": 10.0, "compute_s": 1.0, "setup_send_s": 0.0}, estimate_s=0.0
        )
        assert story.job(cheap).load == (10.0, 1.0, 1.0, 0.0, 0.0)


async def test_a_cluster_without_nodes_and_a_queue_with_its_own_take_none() -> None:
    async with live(POLICY, []) as story:
        with pytest.raises(Conflict, match="has no nodes yet"):
            await story.submit(**load(10.0))
    async with live(POLICY) as story:
        await story.do(SetQueue(Queue("own", nodes=("n1",)), "root"))
        with pytest.raises(Conflict, match="own"):
            await story.submit(**load(10.0), queue="own")


async def test_what_may_be_changed_of_one() -> None:
    async with live(POLICY, start_s=100.0) as story:
        await promised(story, 100.0, takes(100.0, 16))
        number, _ = await promised(story, 1.0, 1e6)
        refused: list[JobSpec] = [{"estimate_s": 5.0}, {"resources": {"processors": 1}}, {"deadline_s": 50.0}]
        for changes in refused:
            with pytest.raises((BadValue, Conflict)):
                await story.do(Alter(number, "ann", changes, Limits(), True))
        await story.do(Alter(number, "ann", {"deadline_s": 2e6}, Limits(), True))
        assert story.run(number).job.deadline_s == 2e6
        assert promise_of(story.run(number)).verdict == wire.Promise.ADMITTED
        await story.do(Alter(number, "ann", {"deadline_s": 101.0}, Limits(), True))
        assert story.status(number) == "refused"


async def test_one_that_is_held_is_decided_when_it_is_released() -> None:
    async with live(POLICY) as story:
        number = await story.submit(**load(10.0, takes(10.0, 3)), held=True)
        assert promise_of(story.run(number)).verdict == wire.Promise.VERDICT_UNSPECIFIED
        await story.advance(1.0)
        await story.release(number)
        assert promise_of(story.run(number)).processors == 4


async def test_its_node_is_lost_and_it_starts_again() -> None:
    async with live(POLICY) as story:
        number, _ = await promised(story, 10.0, 3 * takes(10.0, 2))
        await story.advance(takes(10.0, 2) / 2)
        await story.do(LoseNodes(["n1"], "root", "power"))
        assert story.run(number).attempt == 2
        await story.do(ReturnNodes(["n1"], "root"))
        await story.advance(1e4)
        assert story.run(number).deadline_met


async def test_recovery_equals_life_and_goes_on_with_the_plan() -> None:
    journal = MemoryJournal()
    async with live(POLICY, journal=journal) as story:
        running, _ = await promised(story, 100.0, takes(100.0, 16))
        later = takes(100.0, 16)
        waiting, promise = await promised(story, 10.0, later + takes(10.0, 4))
        refused, _ = await promised(story, 100.0, later)
        assert_same(await again(journal), story.state)
        assert_sound(story.state)
    journal = MemoryJournal(journal.entries, 2)
    async with live(POLICY, journal=journal) as story:
        assert promise_of(story.run(waiting)) == promise
        assert promise_of(story.run(refused)).refusal == "deadline_not_guaranteed"
        await story.advance(later + takes(10.0, 4))
        assert [story.run(n).end_s for n in (running, waiting)] == [later, later + takes(10.0, 4)]
        assert_same(await again(journal), story.state)


async def test_each_decision_is_a_fact() -> None:
    journal = MemoryJournal()
    async with live("edf-epr-mn", journal=journal) as story:
        number, _ = await promised(story, 10.0, takes(10.0, 3, "epr"))
        [molded] = journal.facts(JobMolded)
        assert molded == JobMolded(number, -1, 3, takes(10.0, 3, "epr"), "epr")
        [started] = journal.facts(JobStarted)
        assert started.job == number
        await story.advance(takes(10.0, 3, "epr"))
        [ended] = journal.facts(JobEnded)
        assert ended.at_s == takes(10.0, 3, "epr")


def test_a_deadline_of_zero_on_the_wire_is_one_and_not_none() -> None:
    asked = wire.JobSpec(divisible=wire.Divisible(load=10.0, deadline_after_s=0.0))
    assert spec_from_wire(asked).spec["divisible"]["deadline_after_s"] == 0.0
    asked.divisible.ClearField("deadline_after_s")
    assert "deadline_after_s" not in spec_from_wire(asked).spec["divisible"]
