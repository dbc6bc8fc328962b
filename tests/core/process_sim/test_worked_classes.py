"""The worked examples of two classes: H7 to H11, H18 of the reference, interpreted and compiled."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from molokini.compiled.compilation import interpreted
from molokini.process_sim.kinds import pipeline
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, US, Job, Pipeline, Prices, Scenario, Settings, Step
from molokini.process_sim.tables import World
from molokini.process_sim.words import Op, Wait
from tests.kit.processes import (
    FREE,
    assert_timeline,
    both_ways,
    compute,
    ends,
    io,
    job,
    loop,
    receive,
    send,
    timeline,
    whole,
)

S = 1000 * MS
ENDLESS = (compute(50 * MS), loop())
FOR_EVER = Pipeline(duration_ns=None, patience_ns=None)
SHORT = Pipeline(frame_ns=Fraction(S, 30), duration_ns=None, patience_ns=15 * S)


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"], autouse=True)
def _compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(request.param)


def matrix(world: World) -> list[str]:
    """The jobs in each row, by number; a point where nobody is."""
    rows = world.queues.slots.tolist()
    return [" ".join(str(int(world.procs.job[p])) if p >= 0 else "." for p in row) for row in rows]


def test_h7_gang_rows() -> None:
    settings = Settings(scheme="1gs", rows=2)
    best = job("J", *[(compute(700 * MS),)] * 2, names="jk")
    real = job("R", *[ENDLESS] * 2, names="rs", pipeline=FOR_EVER)
    run = whole(Scenario("H7", 2, [real, best], until_ns=1703 * MS, prices=FREE, settings=settings))
    assert_timeline(
        run,
        "0: r compute 500, sync 501, j compute 1001, sync 1002, r compute 1502, sync 1503, j compute 1703",
        MS,
    )
    assert ends(run, MS)[1] == 1703
    alone = whole(Scenario("H7", 2, [best], until_ns=2 * S, prices=FREE, settings=settings))
    assert_timeline(alone, "0: j compute 500, sync 501, j compute 701", MS)


def h8() -> tuple[ScenarioReplay, list[Job]]:
    def of(name: str, size: int, real: bool, at_ns: int) -> Job:
        program: Sequence[Step] = ENDLESS
        if name == "R2":
            program = (compute(10 * S),)
        return job(name, *[program] * size, at_ns=at_ns, pipeline=FOR_EVER if real else None)

    jobs = [
        of(name, size, name[0] == "R", at)
        for at, (name, size) in enumerate((("R1", 2), ("R2", 3), ("B1", 2), ("B2", 1), ("B3", 2)))
    ]
    settings = Settings(scheme="1gs", rows=3)
    return ScenarioReplay(Scenario("H8", 4, jobs, until_ns=1 * S, prices=FREE, settings=settings)), jobs


def test_h8_the_matrix_is_filled() -> None:
    run, _ = h8()
    run.finish()
    assert matrix(run.world) == ["0 0 3 .", "1 1 1 .", "2 2 3 ."]
    assert run.world.jobs.placed[4] == -1


@pytest.mark.deep
@pytest.mark.parametrize(
    ("frames", "wanted"), [(99, ["0 0 3 .", "0 0 3 .", "2 2 3 ."]), (100, ["0 0 3 .", "2 2 3 .", "2 2 3 ."])]
)
def test_h8_a_departure(frames: int, wanted: list[str]) -> None:
    run, _ = h8()
    # R1 has had as many frames in its last period as it needs, or one less, from beginning to end.
    run.world.jobs.frames_a_period[0] = 100
    run.world.jobs.last_frames[0] = frames
    run.world.jobs.period_num[0] = 1000 * S
    run.world.until = 100 * S
    run.finish()
    assert run.world.jobs.end[1] > 0
    assert matrix(run.world) == wanted
    assert run.world.jobs.placed[4] == -1


def pipelines() -> list[Job]:
    def of(name: str, at_ns: int, *zetas_ms: int) -> Job:
        zetas = [zeta * MS for zeta in zetas_ms]
        return job(name, *[ENDLESS] * len(zetas), zeta_ns=zetas, frames=100, at_ns=at_ns, pipeline=SHORT)

    return [of("A", 0, 10, 8, 5), of("B", 1, 12, 9), of("C", 2, 1)]


@pytest.mark.parametrize("scheme", ["2dcs-ps", "2dcs-tdm"])
def test_h9_placement_and_admission(scheme: str) -> None:
    settings = Settings(scheme=scheme, admission=True, sync_ns=0)
    scenario = Scenario("H9", 2, pipelines(), until_ns=20 * S, prices=FREE, settings=settings)
    world = ScenarioReplay(scenario).finish().world
    assert world.procs.cpu.tolist() == [0, 1, 1, 0, 1, -1]
    assert world.cpus.real_time.tolist() == [2200 * MS, 2200 * MS]
    assert world.jobs.placed.tolist() == [0, 1, -1]
    assert world.jobs.rejected.tolist() == [0, 0, 1]
    assert world.jobs.end[2] == 15 * S + 2


@pytest.mark.parametrize("scheme", ["2dcs-ps", "2dcs-tdm"])
def test_h9_admission_where_the_scenario_says_on_which_nodes(scheme: str) -> None:
    nodes = ((0, 1, 1), (0, 1), (0,))
    jobs = [
        replace(one, processes=[replace(p, node=node) for p, node in zip(one.processes, where, strict=True)])
        for one, where in zip(pipelines(), nodes, strict=True)
    ]
    settings = Settings(scheme=scheme, admission=True, sync_ns=0)
    world = (
        ScenarioReplay(Scenario("H9", 2, jobs, until_ns=20 * S, prices=FREE, settings=settings))
        .finish()
        .world
    )
    assert world.procs.cpu.tolist() == [0, 1, 1, 0, 1, 0]
    assert world.cpus.real_time.tolist() == [2200 * MS, 2200 * MS]
    assert world.jobs.placed.tolist() == [0, 1, -1]
    assert world.jobs.rejected.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("scheme", "work_ns", "admitted"),
    [
        # Two thirds of a period of 3,333,333,333 ns.
        ("2dcs-ps", 2_222_222_222, True),
        ("2dcs-ps", 2_222_222_223, False),
        # Two cycles of 3 s have begun in it, each of which takes 1 ms to synchronize.
        ("2dcs-tdm", 2_220_222_222, True),
        ("2dcs-tdm", 2_220_222_223, False),
    ],
)
def test_h9_what_just_fits_is_admitted(scheme: str, work_ns: int, admitted: bool) -> None:
    real = job("A", ENDLESS, zeta_ns=[work_ns], pipeline=SHORT)
    settings = Settings(scheme=scheme, admission=True)
    world = (
        ScenarioReplay(Scenario("H9", 1, [real], until_ns=MS, prices=FREE, settings=settings)).finish().world
    )
    assert (world.jobs.placed[0] >= 0) == admitted


@pytest.mark.parametrize(("work_us", "admitted"), [(1_666, True), (1_667, False)])
def test_a_job_of_a_shorter_period_is_measured_by_its_own(work_us: int, admitted: bool) -> None:
    """A hundred frames in two thirds of 400 ms, of which 100 ms are taken; the job before it has 3.3 s."""
    quick = replace(SHORT, frame_ns=Fraction(S, 250))
    real = job("A", ENDLESS, zeta_ns=[MS], frames=100, pipeline=SHORT)
    short = job("B", ENDLESS, zeta_ns=[work_us * US], frames=100, at_ns=1, pipeline=quick)
    settings = Settings(scheme="2dcs-ps", admission=True, sync_ns=0)
    world = (
        ScenarioReplay(Scenario("two", 1, [real, short], until_ns=MS, prices=FREE, settings=settings))
        .finish()
        .world
    )
    assert world.jobs.placed[0] == 0
    assert (world.jobs.placed[1] >= 0) == admitted


def test_h9_work_a_frame_admits_everything() -> None:
    settings = Settings(scheme="2dcs-ps", admission=True, admission_work="frame")
    world = (
        ScenarioReplay(Scenario("H9", 2, pipelines(), until_ns=S, prices=FREE, settings=settings))
        .finish()
        .world
    )
    assert world.jobs.placed.tolist() == [0, 1, 2]
    assert world.cpus.real_time.sum() == (10 + 8 + 5 + 12 + 9 + 1) * MS


def test_h9_rows_under_1gs() -> None:
    settings = Settings(scheme="1gs", admission=True)
    world = (
        ScenarioReplay(Scenario("H9", 4, pipelines()[:2], until_ns=S, prices=FREE, settings=settings))
        .finish()
        .world
    )
    assert matrix(world)[:2] == ["0 0 0 .", "0 0 0 ."]
    assert world.jobs.row[0] == 0b11
    assert world.jobs.placed[1] == -1


@pytest.mark.parametrize(
    ("zeta_us", "rows"),
    [(1, 1), (5544, 1), (5545, 2), (10_000, 2), (12_000, 3), (22_177, 4), (22_178, 5), (33_000, 6)],
)
@pytest.mark.parametrize("frames", [1, 100, 200, 100_000])
def test_h9_rows_are_those_that_the_rate_needs(zeta_us: int, rows: int, frames: int) -> None:
    # 6 * 501 ms * zeta * 30 / 500 ms: 180.36 zeta[s].
    pipeline = replace(SHORT, frames=frames)
    real = job("A", ENDLESS, zeta_ns=[zeta_us * US], frames=frames, pipeline=pipeline)
    settings = Settings(scheme="1gs", admission=True)
    world = (
        ScenarioReplay(Scenario("H9", 1, [real], until_ns=MS, prices=FREE, settings=settings)).finish().world
    )
    assert world.jobs.copies[0] == rows
    assert world.jobs.row[0] == ((1 << rows) - 1 if rows <= 4 else 0)
    assert (world.jobs.placed[0] >= 0) == (rows <= 4)


def test_h10_virtual_time() -> None:
    endless = (compute(100 * S),)
    real = job("R", endless, nodes=(0,), names="R", pipeline=FOR_EVER)
    best = job("E", (compute(30 * MS), io(120 * MS), compute(100 * S)), nodes=(0,), names="E")
    settings = Settings(scheme="2dcs-ps", top_quantum_ns=10 * MS, quantum_ns=10 * MS)
    run = whole(Scenario("H10", 1, [real, best], until_ns=220 * MS, prices=FREE, settings=settings))
    assert_timeline(
        run,
        "0: R compute 10, E compute 20, R compute 40, E compute 50, R compute 70, E compute 80,"
        "R compute 210, E compute 220",
        MS,
    )
    # In thirds: a class's time times its share's inverse.
    assert run.world.cpus.vt_rt[0] * 3 / 2 == 270 * MS
    assert run.world.cpus.vt_be[0] * 3 / 2 == 285 * MS


def test_h10_the_other_way_round_the_real_time_class_catches_up() -> None:
    endless = (compute(100 * S),)
    program = (compute(30 * MS), io(120 * MS), *endless)
    real = job("R", program, nodes=(0,), names="R", pipeline=FOR_EVER)
    best = job("E", endless, nodes=(0,), names="E")
    settings = Settings(scheme="2dcs-ps", top_quantum_ns=10 * MS, quantum_ns=10 * MS)
    run = whole(Scenario("H10", 1, [real, best], until_ns=200 * MS, prices=FREE, settings=settings))
    assert_timeline(
        run,
        "0: R compute 10, E compute 20, R compute 40, E compute 160, R compute 170, E compute 180,"
        "R compute 200",
        MS,
    )


@pytest.mark.parametrize(("scheme", "third"), [("2dcs-ps", 500 * MS), ("2dcs-tdm", 500 * MS), ("1gs", -1)])
def test_who_waits_is_placed_when_another_leaves_and_nobody_before_its_turn(scheme: str, third: int) -> None:
    pipeline = replace(SHORT, duration_ns=500 * MS)
    # The second has no room beside the first; the third had, under 2dcs, but for those before it.
    jobs = [
        job(name, ENDLESS, zeta_ns=[zeta * MS], frames=100, at_ns=at, pipeline=pipeline)
        for at, (name, zeta) in enumerate((("A", 20), ("B", 20), ("C", 1)))
    ]
    settings = Settings(scheme=scheme, admission=True, sync_ns=0)
    world = (
        ScenarioReplay(Scenario("Q", 1, jobs, until_ns=600 * MS, prices=FREE, settings=settings))
        .finish()
        .world
    )
    assert world.jobs.placed.tolist() == [0, 500 * MS, third]


def test_a_job_behind_one_that_gives_up_begins_at_once() -> None:
    """B has no room beside A, and keeps C out until it has waited for 15 s."""
    jobs = [
        job(name, *[ENDLESS] * size, at_ns=at, names=name * size, pipeline=replace(SHORT, patience_ns=wait))
        for at, (name, size, wait) in enumerate((("A", 1, None), ("B", 3, 15 * S), ("C", 2, None)))
    ]
    settings = Settings(scheme="1gs", rows=2)
    run = whole(Scenario("G", 3, jobs, until_ns=16 * S, prices=FREE, settings=settings))
    assert run.world.jobs.rejected.tolist() == [0, 1, 0]
    assert run.world.jobs.placed.tolist() == [0, -1, 15 * S + 1]
    first: dict[int, float] = {}
    for cpu, name, _, start, _ in timeline(run, 1):
        if name == "C":
            first[cpu] = min(start, first.get(cpu, start))
    assert first == {1: 15 * S + 1, 2: 15 * S + 1}


def test_h11_divisions() -> None:
    real = job(
        "R", (compute(500 * MS), io(2000 * MS), compute(300 * MS)), nodes=(0,), names="R", pipeline=FOR_EVER
    )
    best = job("E", (compute(2000 * MS),), nodes=(0,), names="E")
    run = whole(Scenario("H11", 1, [real, best], prices=FREE, settings=Settings(scheme="2dcs-tdm")))
    assert_timeline(run, "0: R compute 500, E compute 2000, sync 2001, E compute 2501, R compute 2801", MS)


def test_each_division_has_its_whole_length_behind_its_synchronization() -> None:
    """Two seconds and one of each cycle of three, and a millisecond of synchronization at each change."""
    real = job("R", ENDLESS, nodes=(0,), names="r", pipeline=FOR_EVER)
    best = job("J", (compute(3000 * MS),), nodes=(0,), names="j")
    settings = Settings(scheme="2dcs-tdm")
    run = whole(Scenario("D", 1, [real, best], until_ns=7003 * MS, prices=FREE, settings=settings))
    assert_timeline(
        run,
        "0: r compute 2000, sync 2001, j compute 3001, sync 3002, r compute 5002, sync 5003, j compute 6003, "
        "sync 6004, r compute 7003",
        MS,
    )


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("d_ms", "misses"), [(10, [1, 0, 0, 0, 0, 0]), (8, [2, 0, 1, 0, 0, 1])], ids=["d=10", "d=8"]
)
@pytest.mark.parametrize(
    ("skipped", "way"),
    [
        *((skipped, Settings()) for skipped in (0, 1, 3)),
        # Without costs the spin limit is 0: the source that has no room reaches it as a frame ends.
        (0, Settings(wait=Wait.BLOCK)),
        *((0, Settings(scheme=scheme)) for scheme in ("2dcs-tdm", "2dcs-ps")),
    ],
    ids=["0", "1", "3", "sb", "2dcs-tdm", "2dcs-ps"],
)
def test_h18_frames_and_periods(d_ms: int, misses: list[int], skipped: int, way: Settings) -> None:
    frame = Step(Op.FRAME_IN)
    done = Step(Op.FRAME_OUT)
    pipeline = Pipeline(
        frames=2, frame_ns=Fraction(d_ms * MS), duration_ns=None, patience_ns=None, skipped=skipped
    )
    programs = ((frame, compute(10 * MS), send(1), loop()), (receive(0), compute(10 * MS), done, loop()))
    real = job("R", *programs, nodes=(0, 1), pipeline=pipeline)
    found = []
    for periods in range(1, len(misses) + 1):
        until = 2 * d_ms * MS * periods
        run = ScenarioReplay(Scenario("H18", 2, [real], until_ns=until, prices=FREE, settings=way)).finish()
        assert run.world.jobs.judged[0] == max(0, periods - skipped)
        found.append(int(run.world.jobs.missed[0]))
    counted = [0] * skipped + misses[skipped:]
    assert [late - early for early, late in zip([0, *found], found, strict=False)] == counted


@pytest.mark.parametrize("scheme", ["2dcs-tdm", "2dcs-ps"])
@pytest.mark.parametrize("last_us", [9926, 9927, 9928])
def test_a_source_at_its_spin_limit_goes_on_if_a_frame_ends_then(last_us: int, scheme: str) -> None:
    # With the default costs, and no spinning, 9927 us is where the second frame ends at the limit.
    zetas, edges = [10 * MS, last_us * US], [(0, 1)]
    made = Pipeline(frames=2, frame_ns=Fraction(S, 90), duration_ns=None, source="ready")
    prices = Prices(bytes_a_second=0)
    real = Job("R", pipeline(zetas, edges, made, prices, [None, None]), pipeline=made)
    way = Settings(scheme=scheme, spin_ns=0)
    run = ScenarioReplay(Scenario("L", 2, [real], until_ns=75 * MS, prices=prices, settings=way)).finish()
    assert int(run.world.jobs.frames_total[0]) == 6
