"""Jobs that take turns in rows of a matrix: agents hear of their rows, journals bring the matrix back."""

import pytest

from molokini.model.codec import decode
from molokini.model.errors import BadValue, MolokiniError
from molokini.model.facts import RowsSet
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes, SetPolicy
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.blocks import REFUSED, SIX
from tests.kit.live import MemoryJournal, again, live, nodes
from tests.kit.live_picture import assert_same, assert_sound
from tests.kit.matrix_rows import BLOCKS, picture
from tests.kit.voices import spoken

TWO = {"mpl": "2"}
SHORT_BLOCKS = {"alpha_m": "1", "alpha_l": "1"}


async def test_jobs_take_turns_and_end_when_their_work_is_done() -> None:
    async with live("gs", [nodes("n1", 4)]) as story:
        await story.choose("gs", TWO)
        jobs = [await story.submit(processors=4, run_s=10.0) for _ in range(3)]
        assert picture(story.state.tables) == ["1111", "2222"]
        await story.advance(100.0)
        assert [story.run(job).end_s for job in jobs] == [20.0, 20.0, 30.0]


@pytest.mark.parametrize(
    ("policy", "alone", "second", "then"),
    [
        ("gs", (0b11111, 5, 1.0), (0b01010, 5, 0.4), (0b10101, 5, 0.6)),
        (BLOCKS, (0b1, 1, 1.0), (0b10, 2, 0.5), (0b1, 2, 0.5)),
    ],
)
async def test_an_agent_hears_of_rows_and_of_every_change_that_matters(
    policy: str, alone: tuple[int, int, float], second: tuple[int, int, float], then: tuple[int, int, float]
) -> None:
    async with spoken(policy=policy) as (story, voice):
        jobs = [await story.submit(processors=16, run_s=30.0) for _ in range(2)]
        launches, [order] = await voice.hears("launch", 2), await voice.hears("order")
        assert [one.attempt.job_id for one in launches] == jobs
        assert (order.kind, order.attempt.job_id) == (wire.Order.SET_ROWS, jobs[0])
        told = [(one.rows.bits, one.rows.count, one.rate) for one in (*launches, order)]
        assert told == [alone, second, then]


async def test_one_fact_a_pass_says_what_has_changed() -> None:
    async with live("gs", [nodes("n1", 4)]) as story:
        for _ in range(4):
            await story.submit(processors=4, run_s=10.0)
        found = [fact for entry in story.journal.entries if isinstance(fact := decode(entry), RowsSet)]
        assert [len(fact.places) for fact in found] == [1, 2, 2]


@pytest.mark.parametrize(
    ("policy", "values", "widths"),
    [
        *(("gs", {}, (8, 3, 5, 2, 8)), ("bgs", {}, (8, 3, 5, 2, 8))),
        (BLOCKS, SHORT_BLOCKS, (8, 2, 4) * 2),
        (BLOCKS, {**SHORT_BLOCKS, "repack": "no"}, (8, 2, 4) * 2),
        (BLOCKS, {**SHORT_BLOCKS, "slots": "100"}, (8, 2, 4) * 23 + (8,)),
    ],
    ids=["gs", "bgs", "repacked", "kept", "many"],
)
async def test_the_matrix_comes_back_from_the_journal(
    policy: str, values: dict[str, str], widths: tuple[int, ...]
) -> None:
    numbers = range(1, len(widths) + 1)
    async with live(policy, [nodes("n[1-2]", 4)]) as story:
        if values:
            await story.choose(policy, values)
        for width in widths:
            await story.submit(processors=width, run_s=10.0)
        await story.advance(6.0)
        before, at_s = picture(story.state.tables), story.state.now
        found = await again(story.journal)
        assert_same(story.state, found)
        assert picture(found.tables) == before
        await story.advance(20.0 * len(widths))
        ends = [story.run(number).end_s for number in numbers]
        journal = MemoryJournal([entry for entry in story.journal.entries if entry.time_s <= at_s], 2)
    async with live(policy, journal=journal) as other:
        await other.advance(20.0 * len(widths))
        assert [other.run(number).end_s for number in numbers] == ends


async def test_other_rows_have_to_wait_while_jobs_take_turns() -> None:
    async with live("gs") as story:
        number = await story.submit(processors=4, run_s=10.0)
        for name, values in (("gs", TWO), ("easy", {})):
            with pytest.raises(MolokiniError, match="1 job takes turns in 5 rows of 200 s"):
                await story.choose(name, values)
        await story.choose("mbgs")
        await story.advance(100.0)
        await story.choose("easy")
        assert story.run(number).end_s == 10.0


async def test_jobs_of_another_policy_get_rows() -> None:
    async with live("easy", [nodes("n1", 4)]) as story:
        first = await story.submit(processors=4, run_s=10.0)
        second = await story.submit(processors=4, run_s=10.0)
        await story.advance(4.0)
        await story.choose("gs", TWO)
        assert picture(story.state.tables) == ["1111", "2222"]
        assert_sound(story.state)
        await story.advance(100.0)
        assert [story.run(job).end_s for job in (first, second)] == [16.0, 20.0]


async def test_a_suspended_job_leaves_its_row_and_gets_one_again() -> None:
    async with live("gs", [nodes("n1", 4)]) as story:
        await story.choose("gs", TWO)
        first = await story.submit(processors=4, run_s=10.0)
        second = await story.submit(processors=4, run_s=10.0)
        await story.advance(4.0)
        await story.do(SuspendJob(first, -1, "root"))
        assert picture(story.state.tables) == ["2222", "2222"]
        await story.advance(4.0)
        await story.do(ResumeJob(first, -1, "root"))
        await story.advance(100.0)
        assert [story.run(job).end_s for job in (first, second)] == [20.0, 16.0]


@pytest.mark.parametrize(("policy", "values"), [("gs", TWO), (BLOCKS, SHORT_BLOCKS)])
async def test_jobs_in_columns_that_are_lost_move_or_wait(policy: str, values: dict[str, str]) -> None:
    async with live(policy, [nodes("n[1-2]", 4)]) as story:
        await story.choose(policy, values)
        for _ in range(4):
            await story.submit(processors=4, run_s=10.0)
        await story.do(LoseNodes(["n2"], "root", "power"))
        assert_sound(story.state)
        placed = set("".join(picture(story.state.tables))) - {"."}
        assert len(placed) == (2 if policy == "gs" else 4)
        await story.advance(200.0)
        assert [story.status(number) for number in range(1, 5)] == ["completed"] * 4


async def test_a_job_on_a_drained_node_keeps_its_copies() -> None:
    async with live("gs", [nodes("n[1-2]", 4)]) as story:
        await story.choose("gs", TWO)
        first = await story.submit(processors=6, run_s=10.0)
        assert picture(story.state.tables) == ["111111..", "111111.."]
        await story.do(DrainNodes(["n1"], "root", "disk"))
        second = await story.submit(processors=2, run_s=1.0)
        assert picture(story.state.tables) == ["11111122", "11111122"]
        await story.advance(100.0)
        assert [story.run(job).end_s for job in (first, second)] == [10.0, 1.0]


async def test_a_job_that_goes_on_gets_columns_of_another_node_where_its_own_was_drained() -> None:
    async with live("gs", [nodes("n[1-2]", 4)]) as story:
        await story.choose("gs", TWO)
        job = await story.submit(processors=4, run_s=10.0)
        assert picture(story.state.tables) == ["1111....", "1111...."]
        await story.do(SuspendJob(job, -1, "root"))
        await story.do(DrainNodes(["n1"], "root", "disk"))
        await story.do(ResumeJob(job, -1, "root"))
        assert picture(story.state.tables) == ["....1111", "....1111"]
        await story.advance(100.0)
        assert story.run(job).end_s == 10.0


async def test_no_job_gives_way_where_a_drained_node_leaves_it_no_room() -> None:
    """Rows XXXAAAYYYYYY and PPJJQQQZZZZZ: after the short ones A might move to J, which stands on n1."""
    async with live("gs", [nodes("n[1-3]", 4)]) as story:
        await story.choose("gs", TWO)
        short = [(3, 1.0), (3, 50.0), (6, 1.0), (2, 1.0), (2, 50.0), (3, 1.0), (5, 50.0)]
        for width, run_s in short:
            await story.submit(processors=width, run_s=run_s)
        assert picture(story.state.tables) == ["111222333333", "445566677777"]
        await story.choose("mgs", {**TWO, "migration_cost": "0"})
        await story.do(DrainNodes(["n1"], "root", "disk"))
        await story.advance(5.0)
        assert story.core.reactor.policy_failures == 0
        assert_sound(story.state)
        assert picture(story.state.tables)[1].count("5") == 2


# In blocks.


@pytest.mark.parametrize(
    ("names", "processors", "values", "text"),
    [*(("n1", 4, values, text) for values, text in REFUSED), ("n[1-3]", 2, {}, SIX)],
    ids=[*(next(iter(one)) for one, _ in REFUSED), "no power of two"],
)
async def test_values_and_machines_that_blocks_cannot_have_are_refused(
    names: str, processors: int, values: dict[str, str], text: str
) -> None:
    async with live("fcfs", [nodes(names, processors)]) as story:
        with pytest.raises(BadValue) as caught:
            await story.do(SetPolicy(BLOCKS, values, "root"))
    assert text in str(caught.value)


async def test_slots_come_and_go() -> None:
    async with live(BLOCKS, [nodes("n1", 4)]) as story:
        await story.choose(BLOCKS, SHORT_BLOCKS)
        jobs = [
            await story.submit(processors=width, run_s=run) for width, run in ((2, 2.0), (2, 12.0), (4, 4.0))
        ]
        jobs.append(await story.submit(processors=1, run_s=2.0))
        assert picture(story.state.tables)[:3] == ["3333", "1122", "4.22"]
        await story.advance(100.0)
        assert [story.run(job).end_s for job in jobs] == [6.0, 16.0, 10.0, 6.0]


async def test_other_rows_have_to_wait_while_jobs_stand_in_slots() -> None:
    async with live(BLOCKS) as story:
        await story.submit(processors=4, run_s=10.0)
        with pytest.raises(MolokiniError, match="1 job takes turns in as many rows as are in use"):
            await story.choose("gs")
        await story.choose(BLOCKS, {"k_m": "2"})
        await story.advance(100.0)
        await story.choose("gs")
