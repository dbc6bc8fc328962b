"""What a site's lines say of one job, live: where its processors are, whether it may queue, who gives way."""

from tests.kit.live import Story, by_maui, live
from tests.kit.live_picture import assert_kept


def spread(story: Story, job: int) -> list[int]:
    """Processors of the job on each of its nodes."""
    return sorted((count for _, count in story.run(job).nodes), reverse=True)


async def test_maxprocpernode_spreads_a_job_and_follows_changeparam() -> None:
    async with live(**by_maui("USERCFG[ann] MAXPROCPERNODE=2")) as story:
        job = await story.submit(run_s=10.0, processors=5)
        assert spread(story, job) == [2, 2, 1]
        await story.advance(20.0)
        await story.change_maui("USERCFG[ann]", "MAXPROCPERNODE=3")
        job = await story.submit(run_s=10.0, processors=5)
        assert spread(story, job) == [3, 2]
        refused = await story.submit(run_s=10.0, processors=13)
        assert (story.status(refused), story.run(refused).why) == ("refused", "never placeable")
        await assert_kept(story)


async def test_noqueue_starts_at_once_or_goes_as_long_as_it_is_said() -> None:
    async with live(**by_maui("GROUPCFG[now] FLAGS=NOQUEUE")) as story:
        first = await story.submit(run_s=10.0, processors=12, group="now")
        second = await story.submit(run_s=10.0, processors=12, group="now")
        assert [story.status(job) for job in (first, second)] == ["running", "refused"]
        assert story.run(second).why == "not at once"
        await story.change_maui("GROUPCFG[now]", "FLAGS=PREEMPTEE")
        third = await story.submit(run_s=10.0, processors=12, group="now")
        assert story.status(third) == "waiting"
        await assert_kept(story)


async def test_who_has_a_preemptors_group_has_others_give_way() -> None:
    lines = "PREEMPTPOLICY SUSPEND\nGROUPCFG[weak] FLAGS=PREEMPTEE\nGROUPCFG[strong] FLAGS=PREEMPTOR"
    async with live(**by_maui(lines)) as story:
        weak = await story.submit(run_s=100.0, processors=16, group="weak")
        await story.advance(1.0)
        strong = await story.submit(run_s=10.0, processors=8, group="strong")
        assert [story.status(job) for job in (weak, strong)] == ["suspended", "running"]
        await assert_kept(story)
