"""When snapshots are taken: as often as is wanted, and not more often than there is much to save."""

import pytest

from molokini.server.persistence.snapshots import FEW, Snapshots
from tests.kit.live import MemoryJournal, Story, live


async def taken(story: Story, snapshots: Snapshots, journal: MemoryJournal, jobs: int) -> list[int]:
    """Facts and jobs at each snapshot, while so many jobs come one by one."""
    found = []
    for _ in range(jobs):
        await story.submit(held=True)
        before = len(journal.snapshots)
        snapshots.at_rest()
        if snapshots._task is not None and not snapshots._task.done():
            found.append(story.state.serial + story.state.next_id)
            await story.until(lambda: len(journal.snapshots) > before)  # noqa: B023
            assert journal.snapshots[-1].serial == story.state.serial
            await snapshots._task
    return found


@pytest.mark.parametrize(("every", "expected"), [(10, [10, 20, 40]), (0, [])])
async def test_one_is_taken_after_so_many_facts_and_jobs(every: int, expected: list[int]) -> None:
    async with live(offers=[]) as story:
        # A held job is one fact, and one job; at 30 there are fifteen jobs, and ten news.
        journal = story.journal
        first = story.state.serial + story.state.next_id
        snapshots = Snapshots(journal, story.state, every, "r")
        snapshots.go_on_from(story.state.serial)
        found = await taken(story, snapshots, journal, 20)
        assert [one - first for one in found] == expected
        assert (0.0 < snapshots.longest_stop_s < 60.0) is bool(expected)


async def test_one_is_not_taken_as_long_as_there_are_more_jobs_than_news() -> None:
    async with live(offers=[]) as story:
        await story.submit_many([{"estimate_s": 1.0, "held": True}] * 30)
        first = story.state.serial + story.state.next_id
        snapshots = Snapshots(story.journal, story.state, 10, "r")
        snapshots.go_on_from(story.state.serial)
        found = await taken(story, snapshots, story.journal, 40)
        # As many news as jobs: two for each of those that come, and one for each of those that are there.
        assert found[0] - first == 60


async def test_what_has_happened_since_the_newest_one_counts_after_a_start() -> None:
    async with live(offers=[]) as story:
        for _ in range(3):
            await story.submit(held=True)
        snapshots = Snapshots(story.journal, story.state, 10, "r")
        snapshots.go_on_from(story.state.serial - 8)
        assert await taken(story, snapshots, story.journal, 1) == [story.state.serial + story.state.next_id]


@pytest.mark.parametrize(("news", "kept"), [(FEW - 1, 0), (FEW, 1)])
async def test_the_last_one_is_taken_where_it_saves_something(news: int, kept: int) -> None:
    async with live(offers=[]) as story:
        snapshots = Snapshots(story.journal, story.state, 10**6, "r")
        snapshots.go_on_from(story.state.serial)
        snapshots._taken_at -= news
        await snapshots.last(10.0)
        assert len(story.journal.snapshots) == kept
