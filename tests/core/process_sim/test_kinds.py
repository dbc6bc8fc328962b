"""Each kind of program does what it says: who computes, sends, sleeps and waits, and for how long."""

from collections.abc import Iterator
from typing import Any

import pytest

from molokini.compiled.compilation import interpreted, interpreting
from molokini.process_sim.accounts import check_invariants, job_accounts
from molokini.process_sim.kinds import PATTERNS, looping, skewed
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, US, Dist, Job, Process, Scenario
from molokini.process_sim.scenario_files import scenario_of
from molokini.process_sim.words import Draw, Segment, Spent
from tests.kit.processes import FREE, PLAIN, assert_timeline, both_ways, ends, whole

FREE_COSTS = dict.fromkeys(
    ("send", "receive", "latency", "local_latency", "switch", "interrupt", "move", "check"), "0ns"
) | {"bytes_per_second": 0}


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"], autouse=True)
def _compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(request.param)


def ran(nodes: int, *jobs: dict[str, Any], **tables: Any) -> ScenarioReplay:
    run = whole(scenario_of({"nodes": nodes, "job": list(jobs), "costs": FREE_COSTS, **tables}, "f").made())
    assert check_invariants(run) == []
    return run


def of_pattern(name: str, grain_us: int, size: int, rounds: int = 1) -> ScenarioReplay:
    """Everyone computes, then all exchange; processes are on nodes of their own."""
    programs = looping(
        size,
        Dist(Draw.CONSTANT, grain_us * US),
        PATTERNS[name],
        0,
        rounds,
        (Dist(Draw.CONSTANT, 0), 0.0),
        0.0,
    )
    made = Job("J", [Process(one, node, "ABCD"[node]) for node, one in enumerate(programs)])
    return whole(Scenario(name, size, [made], prices=PLAIN))


def test_a_wave_goes_from_the_first_process_to_the_last() -> None:
    assert_timeline(
        of_pattern("wavefront", 100, 3),
        """
        0: A compute 100, A send 105
        1: B compute 100, B spin 125, B receive 130, B send 135
        2: C compute 100, C spin 155, C receive 160
        """,
    )


def test_a_tree_goes_up_and_down() -> None:
    assert_timeline(
        of_pattern("tree", 100, 4),
        """
        0: A compute 100, A spin 155, A receive 165, A send 175
        1: B compute 100, B spin 125, B receive 130, B send 135, B spin 190, B receive 195, B send 200
        2: C compute 100, C send 105, C spin 195, C receive 200
        3: D compute 100, D send 105, D spin 220, D receive 225
        """,
    )


def test_a_ring_sends_to_the_next_and_receives_from_the_one_before() -> None:
    run = of_pattern("ring", 100, 3, rounds=2)
    first = "{0} compute 100, {0} send 105, {0} spin 125, {0} receive 130"
    line = f"{first}, {{0}} compute 230, {{0}} send 235, {{0}} spin 255, {{0}} receive 260"
    assert_timeline(run, "\n".join(f"{cpu}: {line.format(name)}" for cpu, name in enumerate("ABC")))


@pytest.mark.parametrize(("name", "messages"), [("neighbour", 2), ("all-to-all", 3), ("random", 1)])
def test_others_send_as_many_messages_as_they_receive(name: str, messages: int) -> None:
    spent = of_pattern(name, 100, 4, rounds=3).world.procs.spent
    assert (spent[:, Segment.SEND] == 3 * messages * 5 * US).all()
    assert (spent[:, Segment.RECEIVE] == 3 * messages * 5 * US).all()


def test_skew_lengthens_the_work_of_high_ranks_by_as_much_as_it_shortens_that_of_low_ones() -> None:
    run = ran(
        3, {"kind": "bsp", "processes": 3, "compute": "10ms", "skew": 0.5, "rounds": 4, "nodes": [0, 1, 2]}
    )
    assert run.world.procs.spent[:, Segment.COMPUTE].tolist() == [30 * MS, 40 * MS, 50 * MS]
    even = Dist(Draw.UNIFORM, 10 * MS, 20 * MS)
    assert skewed(even, 1.0, 0, 2) == Dist(Draw.UNIFORM, 5 * MS, 10 * MS)
    assert skewed(even, 1.0, 1, 2) == Dist(Draw.UNIFORM, 15 * MS, 30 * MS)
    assert skewed(Dist(Draw.ERLANG, 10, 4), 1.0, 1, 2) == Dist(Draw.ERLANG, 15, 4)
    assert skewed(even, 1.0, 0, 1) == even


def test_io_takes_a_process_off_its_cpu() -> None:
    run = ran(
        1, {"kind": "best-effort", "processes": 1, "compute": "2ms", "io": "3ms", "io_chance": 1, "rounds": 4}
    )
    assert run.world.procs.spent[0, Segment.COMPUTE] == 8 * MS
    assert run.world.procs.spent[0, Spent.IO] == 12 * MS
    assert ends(run, MS) == [20]
    assert run.world.cpus.spent[0, Segment.IDLE] == 12 * MS


def test_io_by_chance_is_there_as_often_as_that() -> None:
    run = ran(
        1, {"kind": "bsp", "processes": 1, "compute": "1us", "io": "1us", "io_chance": 0.3, "rounds": 2000}
    )
    assert 500 * US < run.world.procs.spent[0, Spent.IO] < 700 * US


def test_a_server_answers_each_of_its_clients() -> None:
    web = {"kind": "client-server", "clients": 3, "requests": 4, "think": "10ms", "service": "1ms"}
    run = ran(4, {**web, "nodes": [0, 1, 2, 3]})
    spent = run.world.procs.spent
    assert spent[0, Segment.COMPUTE] == 12 * MS
    assert (spent[1:, Segment.COMPUTE] == 0).all()
    assert (spent[1:, Spent.ASLEEP] == 40 * MS).all()
    # They ask at once, so the first waits for 1 ms, the second for 2, the third for 3; then they are apart.
    assert spent[1:, Segment.SPIN].tolist() == [4 * MS, 5 * MS, 6 * MS]
    assert ends(run, MS) == [46]


def test_an_interactive_process_thinks_and_then_computes() -> None:
    run = ran(1, {"kind": "interactive", "bursts": 5, "burst": "2ms", "think": "7ms"})
    spent = run.world.procs.spent[0]
    assert (spent[Segment.COMPUTE], spent[Spent.ASLEEP]) == (10 * MS, 35 * MS)
    assert ends(run, MS) == [45]


def test_a_serial_job_computes() -> None:
    jobs = {"kind": "serial", "work": "4ms", "copies": 3}
    run = ran(2, jobs, scheduling={"quantum": "1ms"})
    assert run.world.procs.spent[:, Segment.COMPUTE].tolist() == [4 * MS] * 3
    assert [line["job"] for line in job_accounts(run)] == ["job1-1", "job1-2", "job1-3"]
    # The third shares the node of the first, and both take turns.
    assert ends(run, MS) == [7, 4, 8]


@pytest.mark.parametrize(("tasks", "wanted"), [(1, [3, 0]), (5, [9, 6]), (6, [9, 9])])
def test_tasks_of_a_bag_are_taken_by_whoever_is_free(tasks: int, wanted: list[int]) -> None:
    run = ran(2, {"kind": "bag", "processes": 2, "tasks": tasks, "task": "3ms", "nodes": [0, 1]})
    assert run.world.procs.spent[:, Segment.COMPUTE].tolist() == [ms * MS for ms in wanted]
    assert run.world.jobs.bag[0] == 0
    assert ends(run, MS) == [max(wanted)]


def test_whoever_is_slow_takes_fewer_tasks() -> None:
    bag = {"kind": "bag", "processes": 2, "tasks": 10, "task": "1ms", "nodes": [0, 1]}
    run = ran(2, bag, {"kind": "serial", "work": "4ms", "nodes": [1]}, scheduling={"quantum": "1ms"})
    computed = run.world.procs.spent[:2, Segment.COMPUTE]
    assert computed.sum() == 10 * MS
    assert computed[0] > computed[1]


def test_loops_in_a_loop_are_counted_each_for_itself() -> None:
    lines = [
        "repeat 2",
        "repeat 3",
        "repeat 2",
        "repeat 2",
        "compute 1us",
        "end",
        "end",
        "compute 100us",
        "end",
        "end",
    ]
    run = ran(1, {"process": [{"program": lines}]})
    assert run.world.procs.spent[0, Segment.COMPUTE] == (24 + 600) * US


def test_receive_any_takes_the_message_of_the_lowest_rank_and_a_reply_goes_to_its_sender() -> None:
    server = {
        "name": "S",
        "node": 0,
        "program": ["compute 9ms"] + ["receive any", "compute 1ms", "reply 10B"] * 2,
    }
    asks = [
        {"name": name, "node": node, "program": [f"compute {ms}ms", "send S 10B", "receive S"]}
        for node, (name, ms) in enumerate((("A", 5), ("B", 4)), 1)
    ]
    run = ran(3, {"process": [server, *asks]})
    assert run.world.procs.spent[1:, Segment.SPIN].tolist() == [5 * MS, 7 * MS]


@pytest.mark.parametrize(("source", "frames"), [("arrivals", 20), ("ahead", 25), ("ready", 66)])
def test_a_pipeline_finishes_its_frames_and_leaves(source: str, frames: int) -> None:
    pipeline = {
        "kind": "real-time",
        "zeta": ["2ms", "3ms"],
        "frames": 5,
        "frames_per_second": 100,
        "source": source,
    }
    run = ran(2, {**pipeline, "duration": "200ms", "warmup_periods": 1, "nodes": [0, 1]})
    line = job_accounts(run)[0]
    assert (line["periods"], line["missed"], line["miss_rate"]) == (3, 0, 0)
    assert ends(run, MS) == [200]
    # One by one they come every 10 ms, or five before that; else the slower stage never waits.
    assert line["frames"] == frames
    assert run.world.procs.spent[1, Segment.COMPUTE] == frames * 3 * MS


@pytest.mark.quick("compiled")
def test_frames_come_at_multiples_of_an_odd_fraction_however_many_there_are() -> None:
    pipeline = {"kind": "real-time", "zeta": ["1us"], "frames": 1000, "frames_per_second": 33333.3333}
    run = ran(1, {**pipeline, "source": "arrivals", "duration": "0s"}, until="1s")
    assert run.world.jobs.frames_total[0] in (33_333, 33_334)
    assert run.world.jobs.judged[0] == 33


OVERLOADED = {"kind": "real-time", "zeta": ["10ms", "10ms"], "frames_per_second": 125, "duration": "0s"}


def test_a_pipeline_that_needs_longer_for_a_frame_than_there_is_misses_frames() -> None:
    run = ran(2, {**OVERLOADED, "frames": 2}, until="96ms")
    assert (run.world.jobs.judged[0], run.world.jobs.missed[0]) == (6, 4)


@pytest.mark.parametrize("scheme", ["1gs", "2dcs-tdm", "2dcs-ps"])
def test_admission_rejects_it(scheme: str) -> None:
    pipeline = {**OVERLOADED, "patience": "100ms"}
    run = ran(2, pipeline, scheduling={"scheme": scheme, "admission": True}, until="1s")
    assert run.world.jobs.rejected[0] == 1


def test_surplus_frames_count_for_the_next_period_where_they_are_carried_over() -> None:
    pipeline = {"kind": "real-time", "zeta": ["4ms"], "frames": 5, "frames_per_second": 100, "duration": "0s"}
    pipeline["source"] = "ready"
    rows = {"scheme": "1gs", "rows": 2, "row_quantum": "100ms", "sync": "0ns"}
    missed = []
    for carry in (False, True):
        # It has every second 100 ms: two periods in which it does 25 frames and owes 10, two without any.
        scheduling = {**rows, "carry_over": carry}
        run = ran(1, pipeline, {"kind": "serial", "work": "10s"}, scheduling=scheduling, until="600ms")
        missed.append(int(run.world.jobs.missed[0]))
    assert missed == [30, 0]


@pytest.mark.quick(one_in=2)
def test_a_first_choice_of_interpreted_and_compiled_is_the_same_random_program() -> None:
    made = scenario_of(
        {
            "nodes": 2,
            "job": [
                {
                    "kind": "bsp",
                    "processes": 3,
                    "compute": kind,
                    "pattern": "random",
                    "rounds": 20,
                    "io_chance": 0.5,
                }
                for kind in ("exponential 2ms", "uniform 1ms 3ms", "erlang 2ms 3")
            ],
        },
        "f",
    ).made()
    first = whole(made)
    with interpreting():
        second = whole(made)
    assert first.pieces.tolist() == second.pieces.tolist()


def test_free_means_free() -> None:
    assert scenario_of({"costs": FREE_COSTS, "job": [{"kind": "serial"}]}, "f").made().prices == FREE
