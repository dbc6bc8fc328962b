"""Gang scheduling in blocks, live: agents hear rates, journals bring slots back, bad values are refused."""

import pytest

from molokini.model.errors import BadValue, MolokiniError
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.operating import SetPolicy
from tests.kit.blocks import REFUSED, SIX
from tests.kit.live import MemoryJournal, again, live, nodes
from tests.kit.live_picture import assert_same
from tests.kit.matrix_rows import BLOCKS, picture
from tests.kit.voices import spoken

SHORT = {"alpha_m": "1", "alpha_l": "1"}
MANY = {**SHORT, "slots": "100"}
each = pytest.mark.parametrize(("values", "text"), REFUSED, ids=[next(iter(one)) for one, _ in REFUSED])


@each
async def test_of_the_running_cluster(values: dict[str, str], text: str) -> None:
    async with live("fcfs", [nodes("n1", 4)]) as story:
        with pytest.raises(BadValue) as caught:
            await story.do(SetPolicy(BLOCKS, values, "root"))
    assert text in str(caught.value)


async def test_of_a_running_cluster_of_no_power_of_two() -> None:
    async with live("fcfs", [nodes("n[1-3]", 2)]) as story:
        with pytest.raises(BadValue) as caught:
            await story.do(SetPolicy(BLOCKS, {}, "root"))
    assert SIX in str(caught.value)


async def test_slots_come_and_go() -> None:
    async with live(BLOCKS, [nodes("n1", 4)]) as story:
        await story.choose(BLOCKS, SHORT)
        jobs = [
            await story.submit(processors=width, run_s=run) for width, run in ((2, 2.0), (2, 12.0), (4, 4.0))
        ]
        jobs.append(await story.submit(processors=1, run_s=2.0))
        assert picture(story.state.tables)[:3] == ["3333", "1122", "4.22"]
        await story.advance(100.0)
        assert [story.run(job).end_s for job in jobs] == [6.0, 16.0, 10.0, 6.0]


async def test_an_agent_hears_how_many_slots_there_are() -> None:
    async with spoken(policy=BLOCKS) as (story, voice):
        first = await story.submit(processors=16, run_s=30.0)
        second = await story.submit(processors=16, run_s=30.0)
        one, other = await voice.hears("launch", 2)
        assert (one.rows.bits, one.rows.count, one.rate) == (0b1, 1, 1.0)
        assert (other.attempt.job_id, other.rows.bits, other.rows.count, other.rate) == (second, 0b10, 2, 0.5)
        [order] = await voice.hears("order")
        assert (order.kind, order.attempt.job_id) == (wire.Order.SET_ROWS, first)
        assert (order.rows.bits, order.rows.count, order.rate) == (0b1, 2, 0.5)


@pytest.mark.parametrize("values", [SHORT, {**SHORT, "repack": "no"}, MANY], ids=["repacked", "kept", "many"])
async def test_slots_come_back_from_the_journal(values: dict[str, str]) -> None:
    many = 70 if values is MANY else 6
    async with live(BLOCKS, [nodes("n[1-2]", 4)]) as story:
        await story.choose(BLOCKS, values)
        for k in range(many):
            await story.submit(processors=(8, 2, 4)[k % 3], run_s=10.0)
        await story.advance(6.0)
        before = picture(story.state.tables)
        found = await again(story.journal)
        assert_same(story.state, found)
        assert picture(found.tables) == before
        at_s = story.state.now
        await story.advance(20.0 * many)
        ends = [story.run(number).end_s for number in range(1, many + 1)]
        journal = MemoryJournal([entry for entry in story.journal.entries if entry.time_s <= at_s], 2)
    async with live(BLOCKS, journal=journal) as other:
        await other.advance(20.0 * many)
        assert [other.run(number).end_s for number in range(1, many + 1)] == ends


async def test_other_rows_have_to_wait_while_jobs_stand_in_slots() -> None:
    async with live(BLOCKS) as story:
        await story.submit(processors=4, run_s=10.0)
        with pytest.raises(MolokiniError, match="1 job takes turns in as many rows as are in use"):
            await story.choose("gs")
        await story.choose(BLOCKS, {"k_m": "2"})
        await story.advance(100.0)
        await story.choose("gs")
