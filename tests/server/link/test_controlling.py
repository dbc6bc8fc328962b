"""Controllers of target rates in a live server: measured, ordered, refused, and gone on with after a kill."""

from dataclasses import replace
from typing import Any

import pytest

from molokini.feedback.aims import Aim
from molokini.feedback.controlling import MS
from molokini.feedback.keeping import Keeps
from molokini.model.errors import BadInput, Conflict
from molokini.model.facts import NO_INDEX, JobAimed
from molokini.proto.v1.job_service_pb2 import ControlledJob
from molokini.proto.v1.jobs_pb2 import NodeSlices, Rate
from molokini.server.link.controlling import RateControllers, controlled
from molokini.server.link.node_slices import check_slices, keeps_of
from molokini.server.link.session import resumed_launch_of
from molokini.server.turn.aiming import AimJob, Asked
from molokini.server.turn.aiming_checks import check_submitted, rules_asked, taken_of
from molokini.server.turn.changing import Alter, NotNow, Requeue
from tests.kit.live import Story, again


async def real(story: Story, **spec: Any) -> int:
    """A job on nodes that are taken for real ones."""
    for record in story.state.machine.nodes:
        record.real = True
    return await story.submit(run_s=1000.0, estimate_s=2000.0, **spec)


async def aim(story: Story, job: int, rate: str, full: float = 1.0) -> None:
    await story.do(AimJob(job, NO_INDEX, "root", Asked(rate, full), lambda: 7.0))


def controllers(story: Story) -> RateControllers:
    return RateControllers(story.core.reactor, lambda: 7.0)


def told(story: Story, made: RateControllers, job: int) -> ControlledJob:
    found = controlled(story.state, story.run(job), made.of((job, NO_INDEX)))
    assert found is not None
    return found


async def hear(story: Story, made: RateControllers, job: int, *reports: tuple[int, float]) -> None:
    for iteration, at_s in reports:
        made.hear(story.run(job), Rate(iteration=iteration, per_s=0.5, at_s=at_s))
        await story.advance(0.01)


async def test_the_full_rate_is_measured_and_the_pair_ordered(story: Story) -> None:
    job, made = await real(story, rate="50%"), controllers(story)
    await hear(story, made, job, (1, 10.0), (2, 12.0), (2, 13.0), (3, 14.0))
    assert not story.state.aims
    assert told(story, made, job).status == "measuring"
    await hear(story, made, job, (4, 16.0))
    found = story.state.aims[job, NO_INDEX]
    assert (found.full, found.target) == (0.5, 500_000)
    slicing = story.state.sliced[job, NO_INDEX]
    assert (slicing.period_s, slicing.slice_s, slicing.origin_s) == (0.2, 0.1, 7.0)
    assert slicing.real_time
    assert slicing.by_deadline


async def test_rates_that_are_off_are_ordered_and_those_within_are_not(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await aim(story, job, "50%")
    await hear(story, made, job, (1, 10.0), (2, 12.0), (3, 14.0))
    assert len(story.journal.facts(JobAimed)) == 1
    await hear(story, made, job, (4, 15.0))
    assert story.state.sliced[job, NO_INDEX].period_s == 0.198
    found = told(story, made, job)
    assert (found.orders, found.status, len(found.reports)) == (2, "searching", 4)


async def test_a_killed_server_goes_on_controlling(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await aim(story, job, "50%")
    await hear(story, made, job, (1, 10.0), (2, 11.0))
    before = story.state.aims[job, NO_INDEX]
    state = await again(story.journal)
    assert state.aims[job, NO_INDEX] == before
    assert state.sliced[job, NO_INDEX].period_s == 0.198


async def test_an_agent_that_comes_again_is_told_the_pair_in_force(story: Story) -> None:
    """By a server that was killed meanwhile, too."""
    job, made = await real(story), controllers(story)
    await aim(story, job, "50%")
    await hear(story, made, job, (1, 10.0), (2, 11.0))
    state = await again(story.journal)
    for known in (story.state, state):
        told = resumed_launch_of(known.element(job, NO_INDEX), known).slicing
        assert (told.period_s, told.slice_s, told.origin_s) == (0.198, 0.099, 7.0)
        assert told.real_time
        assert told.by_deadline
        assert {one.node: tuple(one.core) for one in told.cores} == known.aims[job, NO_INDEX].cores


async def test_a_rate_without_room_changes_nothing(story: Story) -> None:
    first, second = await real(story), await real(story)
    story.state.cores = lambda name: 1
    await aim(story, first, "50%")
    await aim(story, second, "40%")
    with pytest.raises(Conflict, match="45% finds no room: there is 40% on"):
        await aim(story, second, "45%")
    with pytest.raises(Conflict):
        check_submitted(
            story.state, {"rate": "20%", "resources": {"nodes": len(story.state.machine.nodes)}}, 0.0
        )
    assert story.state.aims[second, NO_INDEX].rate == "40%"
    await aim(story, first, "30%")
    await aim(story, second, "45%")
    await aim(story, first, "")
    assert list(story.state.aims) == [(second, NO_INDEX)]
    assert (first, NO_INDEX) not in story.state.sliced


async def test_room_is_that_of_a_core_not_of_a_node(story: Story) -> None:
    """Two cores with 50% left each have no room for 60%, although together they have more."""
    jobs = [await real(story) for _ in range(3)]
    story.state.cores = lambda name: 2
    await aim(story, jobs[0], "40%")
    await aim(story, jobs[1], "40%")
    first, second = (story.state.aims[job, NO_INDEX] for job in jobs[:2])
    shared = first.cores.keys() & second.cores.keys()
    assert all(set(first.cores[node]).isdisjoint(second.cores[node]) for node in shared)
    assert story.state.sliced[jobs[0], NO_INDEX].cores == first.cores
    if shared:
        with pytest.raises(Conflict, match="60% finds no room: there is 50% on"):
            await aim(story, jobs[2], "60%")
    # A job goes to another core where its own has no room.
    await aim(story, jobs[2], "45%")
    await aim(story, jobs[1], "")
    await aim(story, jobs[2], "85%")
    state = await again(story.journal)
    assert state.aims == story.state.aims


async def test_admission_goes_by_what_each_node_keeps(story: Story) -> None:
    """All nodes of a job or none: the one that keeps least decides, and a refusal names it."""
    job, other = await real(story), await real(story)
    *_, last = (story.state.machine.nodes[number].name for number, _ in story.run(job).nodes)
    kept = Keeps(least_period=50 * MS, least_slice=20 * MS, share=600_000)
    story.state.keeps = lambda name: kept if name == last else Keeps()
    story.state.cores = lambda name: 1
    with pytest.raises(Conflict, match=f"10%: node {last} keeps slices above 20 ms, and not 20 ms of 200 ms"):
        await aim(story, job, "10%")
    with pytest.raises(Conflict, match=f"70% finds no room: there is 60% on {last} left"):
        await aim(story, job, "70%")
    rules = {"first_period": 40 * MS}
    with pytest.raises(Conflict, match=f"node {last} keeps periods above 50 ms, and not 40 ms"):
        await story.do(AimJob(job, NO_INDEX, "root", Asked("50%", 1.0, rules), lambda: 7.0))
    assert not story.state.aims
    await aim(story, job, "50%")
    found = story.state.aims[job, NO_INDEX]
    assert (found.rules.least_period, found.rules.least_slice) == (50 * MS, 20 * MS)
    assert found.control is not None
    assert found.control.rules == found.rules
    # A search wraps at the least period of that node.
    periods = set[int]()
    for _ in range(100):
        found = replace(found, control=found.control.reported(0))
        periods.add(found.control.period)
    assert min(periods) == 52 * MS
    # Another job has the rest of that node, where it lies there.
    if last in {story.state.machine.nodes[number].name for number, _ in story.run(other).nodes}:
        with pytest.raises(Conflict, match=f"20% finds no room: there is 10% on {last}"):
            await aim(story, other, "20%")


async def test_a_submission_is_refused_by_what_nodes_keep(story: Story) -> None:
    await real(story)
    count = len(story.state.machine.nodes)
    story.state.keeps = lambda name: Keeps(least_slice=20 * MS, share=500_000)
    with pytest.raises(Conflict, match=r"5%: node \S+ keeps slices above 20 ms, and not 10 ms of 200 ms"):
        check_submitted(story.state, {"rate": "5%"}, 0.0)
    with pytest.raises(Conflict, match="60% finds no room: there is 50% on"):
        check_submitted(story.state, {"rate": "60%"}, 0.0)
    check_submitted(story.state, {"rate": "50%", "resources": {"nodes": count}}, 0.0)
    story.state.keeps = lambda name: Keeps(share=0)
    with pytest.raises(Conflict, match="has measured that it keeps no slices"):
        check_submitted(story.state, {"rate": "50%"}, 0.0)


@pytest.mark.parametrize(
    ("said", "keeps"),
    [
        (None, Keeps()),
        (NodeSlices(least_period_s=0.3, least_slice_s=0.3, usable_share=0.1), Keeps()),
        (
            NodeSlices(measured=True, least_period_s=0.005, least_slice_s=0.0005, usable_share=0.95),
            Keeps(5 * MS, MS // 2, 900_000),
        ),
        (
            NodeSlices(measured=True, least_period_s=0.02, least_slice_s=0.002, usable_share=0.8),
            Keeps(20 * MS, 2 * MS, 800_000),
        ),
        (NodeSlices(measured=True, least_slice_s=0.002, usable_share=0.8), Keeps(0, 2 * MS, 0)),
    ],
)
def test_what_an_agent_says_of_its_node(said: NodeSlices | None, keeps: Keeps) -> None:
    assert keeps_of(said) == keeps
    if said is not None:
        check_slices(said)


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (NodeSlices(least_period_s=-1.0), "least_period_s"),
        (NodeSlices(least_period_s=float("nan")), "least_period_s"),
        (NodeSlices(least_slice_s=61.0), "least_slice_s"),
        (NodeSlices(usable_share=1.01), "usable_share"),
        (NodeSlices(mechanisms=[""]), "mechanisms"),
        (NodeSlices(mechanisms=["a"] * 17), "mechanisms"),
    ],
)
def test_what_no_agent_may_say_of_its_node(bad: NodeSlices, field: str) -> None:
    with pytest.raises(BadInput, match=field):
        check_slices(bad)


async def test_cores_that_an_agent_has_no_more_count_elsewhere(story: Story) -> None:
    """It came again with one core: what was chosen on the second is counted on the first."""
    jobs = [await real(story) for _ in range(2)]
    story.state.cores = lambda name: 2
    for job in jobs:
        await aim(story, job, "50%")
    story.state.cores = lambda name: 1
    shared = {number for number, _ in story.run(jobs[0]).nodes} & {n for n, _ in story.run(jobs[1]).nodes}
    for number in shared:
        assert taken_of(story.state, number) == [1_000_000]
        with pytest.raises(Conflict, match="45% finds no room"):
            await aim(story, jobs[0], "45%")
        assert told(story, controllers(story), jobs[0]).status.startswith(
            "no room for it any more: its nodes have 40%"
        )
    # Without a change of target nothing is refused, and what was ordered stays.
    assert [story.state.aims[job, NO_INDEX].target for job in jobs] == [500_000] * 2
    await aim(story, jobs[0], "40%")
    assert set(story.state.aims[jobs[0], NO_INDEX].cores.values()) == {(0,)}


async def test_a_program_that_stops_reporting_keeps_its_pair(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await aim(story, job, "50%")
    at_s = story.core.clock.now()
    await hear(story, made, job, (1, at_s + 1.0), (2, at_s + 3.0))
    await story.advance(12.0)
    assert told(story, made, job).status == "within"
    await story.advance(2.0)
    assert told(story, made, job).status.startswith("no report for 1")
    assert told(story, made, job).orders == 1
    await hear(story, made, job, (3, at_s + 14.0))
    assert told(story, made, job).status == "searching"


async def test_a_rate_of_the_submission_that_was_taken_off_does_not_come_back(story: Story) -> None:
    job, made = await real(story, rate="50%", full_rate=1.0), controllers(story)
    await hear(story, made, job, (1, 10.0))
    assert story.state.sliced
    await aim(story, job, "")
    await hear(story, made, job, (2, 12.0), (3, 14.0))
    assert not story.state.sliced
    assert controlled(story.state, story.run(job), made.of((job, NO_INDEX))) is None
    await aim(story, job, "30%")
    assert story.state.sliced[job, NO_INDEX].slice_s == pytest.approx(0.06)


async def test_a_full_rate_is_measured_anew_after_slices(story: Story) -> None:
    """Also where no report has come while it was at its target, and none while that was off."""
    job, made = await real(story, rate="50%"), controllers(story)
    await hear(story, made, job, (1, 10.0), (2, 11.0), (3, 12.0), (4, 13.0))
    await aim(story, job, "")
    await aim(story, job, "50%", full=0.0)
    await hear(story, made, job, (5, 15.0))
    assert not story.state.sliced
    await hear(story, made, job, (6, 16.0), (7, 17.0), (8, 18.0))
    assert story.state.aims[job, NO_INDEX].full == 1.0


async def test_a_full_rate_that_is_too_low_is_told(story: Story) -> None:
    """It was measured on a busy node: no program with half of a core is faster than with all of it."""
    job, made = await real(story), controllers(story)
    await aim(story, job, "50%", full=0.25)
    at_s = story.core.clock.now()
    await hear(story, made, job, (1, at_s + 1.0), (2, at_s + 3.0))
    expected = "faster than its full rate of 0.25/s: give a higher one (--full-rate)"
    assert told(story, made, job).status == expected
    await aim(story, job, "50%")
    assert told(story, made, job).status == "searching"


async def test_the_room_of_a_lost_job_is_free_at_once(story: Story) -> None:
    first, second = await real(story), await real(story)
    story.state.cores = lambda name: 1
    await aim(story, first, "50%")
    await aim(story, second, "40%")
    await story.do(Requeue(first, NO_INDEX, "root"))
    assert (first, NO_INDEX) not in story.state.aims
    await aim(story, second, "90%")
    made = controllers(story)
    # A report of the attempt that is gone, which was on its way, orders nothing.
    await hear(story, made, second, (1, 5.0), (2, 6.0))
    assert (first, NO_INDEX) not in story.state.aims


async def bounded(story: Story, within_s: float, **spec: Any) -> int:
    """A job of 100 iterations, which alone does one a second."""
    given = {"rate": "20%-80%", "full_rate": 1.0, "work": 100, **spec}
    return await real(story, deadline_s=story.core.clock.now() + within_s, **given)


async def test_a_deadline_chooses_the_rate_and_changes_it_on_the_way(story: Story) -> None:
    job, made = await bounded(story, 200.0), controllers(story)
    at_s = story.core.clock.now()
    await hear(story, made, job, (1, at_s + 2.0))
    first = story.state.aims[job, NO_INDEX]
    assert first.target == pytest.approx(1e6 * 99 / 198 / 0.95, abs=1)
    found = told(story, made, job)
    assert (found.work, found.deadline_s, found.needed) == (100, at_s + 200.0, 0.5)
    # It has gone more slowly than it was to go: by that, and by what it is likely to achieve.
    await hear(story, made, job, (2, at_s + 50.0))
    faster = story.state.aims[job, NO_INDEX].target
    assert 1e6 * 98 / 150 / 0.95 < faster < 1.12e6 * 98 / 150 / 0.95
    await hear(story, made, job, (3, at_s + 100.0))
    assert story.state.aims[job, NO_INDEX].target == 800_000
    assert told(story, made, job).status == "late: 97% needed, 80% allowed"
    # And then much faster.
    await hear(story, made, job, (90, at_s + 101.0))
    assert story.state.aims[job, NO_INDEX].target == 200_000
    state = await again(story.journal)
    assert state.aims[job, NO_INDEX] == story.state.aims[job, NO_INDEX]
    # The user brings the deadline forward, and takes it away.
    await story.do(Alter(job, "ann", {"deadline_s": at_s + 130.0}, story.limits, False))
    await hear(story, made, job, (91, at_s + 103.0))
    assert 200_000 < story.state.aims[job, NO_INDEX].target < 500_000
    await story.do(Alter(job, "ann", {"deadline_s": 0.0}, story.limits, False))
    await hear(story, made, job, (92, at_s + 105.0))
    assert story.state.aims[job, NO_INDEX].target == 200_000
    await aim(story, job, "70%")
    await hear(story, made, job, (93, at_s + 106.0))
    assert story.state.aims[job, NO_INDEX].target == 700_000
    with pytest.raises(Conflict, match="give deadline_s"):
        await aim(story, job, "30%-60%")
    await story.do(Alter(job, "ann", {"deadline_s": at_s + 300.0}, story.limits, False))
    await aim(story, job, "30%-60%")
    assert story.state.aims[job, NO_INDEX].target == 600_000


async def test_a_deadline_takes_the_room_that_there_is(story: Story) -> None:
    job, made = await bounded(story, 160.0), controllers(story)
    story.state.cores = lambda name: 1
    other = await real(story)
    at_s = story.core.clock.now()
    await aim(story, other, "40%")
    on_both = {name for name, _ in story.run(job).nodes} & {name for name, _ in story.run(other).nodes}
    await hear(story, made, job, (1, at_s + 1.0))
    assert story.state.aims[job, NO_INDEX].target == (500_000 if on_both else 655_443)


@pytest.mark.parametrize(
    ("within_s", "spec", "told"),
    [
        (200.0, {"work": 0}, "work"),
        (200.0, {"rate": "50%"}, "work"),
        (200.0, {"rate": "80%-20%"}, "the lower one first"),
        (200.0, {"rate": "20%-95%"}, "at most 90%"),
        (200.0, {"rate": "0.1%-50%"}, "above 0.5%"),
        (-1.0, {}, "after the present instant"),
        (110.0, {}, "need 90.91% of the full rate from now on, and 80% is allowed"),
    ],
)
async def test_goals_that_cannot_be(story: Story, within_s: float, spec: dict[str, Any], told: str) -> None:
    await story.advance(5.0)
    with pytest.raises(BadInput, match=told):
        await bounded(story, within_s, **spec)


@pytest.mark.parametrize("rate", ["0.1%", "95%", "0.001/s"])
async def test_targets_that_cannot_be(story: Story, rate: str) -> None:
    job = await real(story)
    with pytest.raises(BadInput):
        await aim(story, job, rate)


async def test_emulated_jobs_have_no_rates(story: Story) -> None:
    job = await story.submit(run_s=10.0)
    with pytest.raises(NotNow, match="real nodes"):
        await aim(story, job, "50%")
    for rate in ("50%", "0.5/s"):
        with pytest.raises(Conflict, match=r"rate: all nodes are emulated.*--mode process"):
            await story.submit(rate=rate)


def test_rules_that_are_asked_for() -> None:
    assert rules_asked(2.0, 0.1, 0.0, "model") == {"threshold": 20_000, "first_period": 10**8, "search": 2}
    for bad in ((-1.0, 0.0, 0.0, ""), (0.0, float("nan"), 0.0, ""), (0.0, 0.0, 0.0, "up")):
        with pytest.raises(BadInput):
            rules_asked(*bad)
    assert replace(Aim("50%"), full=2.0).rate_of(1.0) == 500_000
