"""What a job uses alone of its busiest processor is measured with its full rate, or before any order."""

from typing import Any

import pytest

from molokini.feedback.aims import UseFrom
from molokini.model.errors import Conflict
from molokini.model.facts import NO_INDEX, JobAimed
from molokini.model.slicing import Slicing
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import Rate
from molokini.server.link.controlling import UNTOLD, RateControllers
from molokini.server.link.measuring import UseMeter
from molokini.server.services.rating import asked_of
from molokini.server.state.rooms import Taken
from molokini.server.turn.aiming import AimJob, Asked
from molokini.server.turn.slicing import SliceJob
from tests.kit.live import Story, again
from tests.server.link.test_controlling import aim, controllers, real, told

PROCESS = 77
USE_TWICE_SAID = r"full_use.*leave one of them out"


async def hear(
    story: Story,
    made: RateControllers,
    job: int,
    *reports: tuple[int, float, float | None],
    agent: str = "one",
    **more: Any,
) -> None:
    """Reports: iteration, instant, processor time of the process that reports."""
    for iteration, at_s, cpu_s in reports:
        said = Rate(iteration=iteration, per_s=0.5, at_s=at_s, process=PROCESS, process_cpu_s=cpu_s, **more)
        made.hear(story.run(job), said, agent)
        await story.advance(0.01)


async def measured(story: Story, job: int, rate: str, full: float = 0.0) -> None:
    """Ask for *rate*, with the use measured."""
    await story.do(AimJob(job, NO_INDEX, "root", Asked(rate, full, measures=True), lambda: 7.0))


async def test_the_use_is_measured_with_the_full_rate(story: Story) -> None:
    job, made = await real(story, rate="50%", measure_full_use=True), controllers(story)
    await hear(story, made, job, (1, 10.0, 3.0), (2, 12.0, 3.28), (3, 14.0, 3.56))
    found = told(story, made, job)
    assert (found.status, found.full_use_from, found.orders) == ("measuring", "measuring", 0)
    # Of six seconds it had 0.84 s of its processor.
    await hear(story, made, job, (4, 16.0, 3.84))
    aimed = story.state.aims[job, NO_INDEX]
    assert (aimed.full, aimed.use, aimed.share, aimed.use_from) == (0.5, 140_000, 70_000, UseFrom.MEASURED)
    assert story.state.sliced[job, NO_INDEX].slice_s == pytest.approx(0.014)
    found = told(story, made, job)
    assert (found.full_use, found.full_use_from) == (0.14, "measured")
    # Every later order goes by it, whatever is used in slices.
    await hear(story, made, job, (5, 17.0, 4.8), (6, 18.0, 5.8))
    assert story.state.sliced[job, NO_INDEX].slice_s == pytest.approx(0.07 * 0.196)
    await aim(story, job, "100%", full=0.0)
    assert story.state.sliced[job, NO_INDEX].slice_s == pytest.approx(0.14 * 0.196)


async def test_with_a_full_rate_the_use_alone_is_measured_before_the_first_order(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await measured(story, job, "50%", full=1.0)
    assert not story.state.sliced
    # Beside other load it is slower than its full rate, by which an iteration has the same processor time.
    await hear(story, made, job, (1, 10.0, 0.0), (2, 11.5, 0.2), (3, 13.0, 0.4))
    assert len(story.journal.facts(JobAimed)) == 1
    await hear(story, made, job, (4, 14.5, 0.6))
    found = story.state.aims[job, NO_INDEX]
    assert (found.full, found.use) == (1.0, 200_000)
    assert story.state.sliced[job, NO_INDEX].slice_s == pytest.approx(0.02)


async def test_a_killed_server_measures_again(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await measured(story, job, "50%")
    await hear(story, made, job, (1, 10.0, 0.0), (2, 11.0, 0.9), (3, 12.0, 1.8))
    state = await again(story.journal)
    assert state.aims[job, NO_INDEX] == story.state.aims[job, NO_INDEX]
    assert state.aims[job, NO_INDEX].use_from is UseFrom.MEASURING
    # What was heard before is forgotten: nothing is known before four more reports.
    after = controllers(story)
    await hear(story, after, job, (4, 13.0, 1.8), (5, 14.0, 2.1), (6, 15.0, 2.4))
    assert not story.state.sliced
    await hear(story, after, job, (7, 16.0, 2.7))
    state = await again(story.journal)
    found = state.aims[job, NO_INDEX]
    assert (found.full, found.use, found.use_from) == (1.0, 300_000, UseFrom.MEASURED)
    assert found == story.state.aims[job, NO_INDEX]
    assert state.sliced[job, NO_INDEX].slice_s == pytest.approx(0.03)


async def test_agents_that_tell_no_processor_time_are_named_in_the_status(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await measured(story, job, "50%")
    await hear(story, made, job, (1, 10.0, None), (2, 11.0, None), (3, 12.0, None), (4, 13.0, None))
    found = told(story, made, job)
    assert (found.status, found.full_use, found.full_use_from) == (UNTOLD, 1.0, "untold")
    assert found.slice_s == pytest.approx(0.1)
    await story.do(AimJob(job, NO_INDEX, "root", Asked("50%", use=300_000), lambda: 7.0))
    found = told(story, made, job)
    assert (found.full_use, found.full_use_from) == (0.3, "given")
    assert found.slice_s == pytest.approx(0.03)
    assert found.status == "searching"


async def test_room_is_taken_by_the_whole_target_until_the_use_is_known(story: Story) -> None:
    story.state.cores = lambda name: 1
    job = await real(story, rate="60%", measure_full_use=True)
    made, [(node, _), *_] = controllers(story), story.run(job).nodes
    assert Taken(story.state).of(node) == [600_000]
    await hear(story, made, job, *((k, 10.0 + k, 0.1 * k) for k in range(1, 5)))
    assert Taken(story.state).of(node) == [60_000]


async def test_a_job_in_slices_is_measured_after_they_are_off(story: Story) -> None:
    job, made = await real(story, rate="50%", measure_full_use=True), controllers(story)
    await hear(story, made, job, *((k, 10.0 + k, 0.2 * k) for k in range(1, 5)))
    with pytest.raises(Conflict, match=f"job {job} is in time slices.*'molokini rate {job} --off' first"):
        await measured(story, job, "50%")
    assert story.state.aims[job, NO_INDEX].use == 200_000
    await aim(story, job, "")
    await measured(story, job, "50%")
    assert not story.state.sliced
    # Nothing that was heard before counts, also where no report came while the rate was off.
    await hear(story, made, job, *((k, 10.0 + k, 0.2 * 5 + 0.4 * (k - 5)) for k in range(5, 9)))
    found = story.state.aims[job, NO_INDEX]
    assert (found.full, found.use) == (1.0, 400_000)
    await aim(story, job, "")
    sliced = Slicing(period_s=0.1, slice_s=0.05)
    await story.do(SliceJob(job, NO_INDEX, "root", sliced))
    with pytest.raises(Conflict, match=f"'molokini slices {job} --off' first"):
        await measured(story, job, "50%")


async def test_the_largest_use_of_a_node_counts(story: Story) -> None:
    """Of the agents that tell, each by its own clocks."""
    job, made = await real(story), controllers(story)
    await measured(story, job, "50%")
    for k in range(1, 5):
        await hear(story, made, job, (k, 10.0 + k, 500.0 + 0.28 * k), agent="one")
        # The same iteration, which is heard once.
        await hear(story, made, job, (k, 10.0 + k, 3.0 + 0.35 * k), agent="two")
    # The report that ends the measurement is the first agent's: of the second three are there.
    assert story.state.aims[job, NO_INDEX].use == 350_000


def rate(iteration: int, process: int = PROCESS, **cpu_s: float) -> Rate:
    return Rate(iteration=iteration, per_s=1.0, at_s=float(iteration), process=process, **cpu_s)


@pytest.mark.parametrize(
    ("reports", "processors", "use"),
    [
        ([rate(1, process_cpu_s=1.0), rate(4, process_cpu_s=1.9)], 1, 300_000),
        # A tree has more than the process that reports, and lies on all its processors.
        (
            [rate(1, process_cpu_s=1.0, node_cpu_s=5.0), rate(4, process_cpu_s=1.3, node_cpu_s=6.5)],
            1,
            500_000,
        ),
        (
            [rate(1, process_cpu_s=1.0, node_cpu_s=5.0), rate(4, process_cpu_s=1.9, node_cpu_s=6.5)],
            2,
            300_000,
        ),
        # Each iteration is a process of its own.
        (
            [rate(1, process_cpu_s=0.3, node_cpu_s=5.0), rate(4, 78, process_cpu_s=0.3, node_cpu_s=5.9)],
            1,
            300_000,
        ),
        ([rate(1, process_cpu_s=0.3), rate(4, 78, process_cpu_s=0.9)], 1, None),
        ([rate(1, process_cpu_s=0.3), rate(4)], 1, None),
        ([rate(1, process_cpu_s=0.3)], 1, None),
        ([], 1, None),
    ],
)
def test_what_is_used_of_the_busiest_processor(reports: list[Rate], processors: int, use: int | None) -> None:
    meter = UseMeter()
    for one in reports:
        meter.take("one", one)
    assert meter.use(1.0, lambda agent: processors) == use


async def test_a_use_is_given_or_measured(story: Story) -> None:
    with pytest.raises(Conflict, match=USE_TWICE_SAID):
        await real(story, rate="50%", full_use=0.5, measure_full_use=True)
    with pytest.raises(Conflict, match=USE_TWICE_SAID):
        asked_of(wire.SetRatesRequest(rate="50%", full_use=0.5, measure_full_use=True))
    assert asked_of(wire.SetRatesRequest(rate="50%", measure_full_use=True)).measures
