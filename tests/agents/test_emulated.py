"""What emulated nodes report, instant by instant."""

import asyncio

import pytest

from molokini.proto.v1.agent_service_pb2 import Order, Report, Welcome
from molokini.proto.v1.jobs_pb2 import Outcome
from tests.kit.agents import Hands, ServerSide, agent, launch, order, resumed, said, welcomed


async def test_a_job_without_an_outcome_ends_well_at_its_estimate(server: ServerSide) -> None:
    server.send(launch(1, 3.0, estimate_s=40.0, limit_s=40.0))
    report = await server.only()
    assert said(report) == ("ENDED", 1, 43.0)
    assert (report.exit_code, report.signal, report.timed_out) == (0, 0, False)


async def test_the_outcome_says_how_it_ends(server: ServerSide) -> None:
    outcome = Outcome(run_s=5.0, exit_code=3, signal=11, memory_kb=77)
    server.send(launch(1, 0.0, outcome=outcome))
    report = await server.only()
    assert (report.exit_code, report.signal, report.memory_kb) == (3, 11, 77)
    # Nothing has run, and nothing is made up.
    assert (report.cpu_s, report.read_kb, report.written_kb) == (0.0, 0, 0)


@pytest.mark.parametrize(
    ("run_s", "end_s", "timed_out"), [(9.0, 9.0, False), (10.0, 10.0, False), (11.0, 10.0, True)]
)
async def test_a_job_ends_at_its_limit(
    server: ServerSide, run_s: float, end_s: float, timed_out: bool
) -> None:
    server.send(launch(1, 0.0, limit_s=10.0, outcome=Outcome(run_s=run_s, exit_code=4)))
    report = await server.only()
    assert (report.at_s, report.timed_out) == (end_s, timed_out)
    assert (report.exit_code, report.signal) == ((0, 15) if timed_out else (4, 0))


async def test_a_job_of_run_time_0_ends_at_the_next_grant_of_its_instant(server: ServerSide) -> None:
    assert await server.granted(5.0) == ([], (await server.granted(5.0))[1].__class__(turn=1))
    server.send(launch(1, 5.0, 0.0))
    reports, done = await server.granted(5.0)
    assert [said(report) for report in reports] == [("ENDED", 1, 5.0)]
    assert not done.HasField("next_s")


async def test_launches_after_done_change_what_the_same_instant_answers(server: ServerSide) -> None:
    _, done = await server.granted(5.0)
    assert not done.HasField("next_s")
    server.send(launch(1, 5.0, 7.0))
    _, done = await server.granted(5.0)
    assert done.next_s == 12.0
    server.send(launch(2, 5.0, 3.0), order(Order.SUSPEND, 1, 5.0))
    _, done = await server.granted(5.0)
    assert done.next_s == 8.0
    server.send(order(Order.SUSPEND, 2, 5.0))
    _, done = await server.granted(5.0)
    assert not done.HasField("next_s")


async def test_reports_of_one_instant_come_by_job_and_index(server: ServerSide) -> None:
    server.send(launch(3, 0.0, 5.0), launch(2, 0.0, 5.0, index=10), launch(2, 1.0, 4.0, index=9))
    server.send(launch(4, 0.0, 4.0), launch(1, 0.0, 5.0))
    reports, _ = await server.granted(100.0)
    found = [(report.at_s, report.attempt.job_id, report.attempt.array_index) for report in reports]
    assert found == [(4.0, 4, -1), (5.0, 1, -1), (5.0, 2, 9), (5.0, 2, 10), (5.0, 3, -1)]


@pytest.mark.parametrize(
    ("orders", "end_s"),
    [
        ([order(Order.SUSPEND, 1, 4.0), order(Order.RESUME, 1, 100.0, rate=1.0)], 106.0),
        ([order(Order.SET_RATE, 1, 4.0, rate=0.5)], 16.0),
        ([order(Order.SUSPEND, 1, 10.0), order(Order.RESUME, 1, 30.0)], 30.0),
    ],
    ids=["suspended", "at half the rate", "suspended when its work was done"],
)
async def test_a_job_ends_when_it_has_worked(server: ServerSide, orders: list[Order], end_s: float) -> None:
    server.send(launch(1, 0.0, 10.0), *orders)
    assert (await server.only()).at_s == end_s


async def test_at_rate_0_it_stands_still(server: ServerSide) -> None:
    server.send(launch(1, 0.0, 10.0), order(Order.SET_RATE, 1, 4.0, rate=0.0))
    _, done = await server.granted(50.0)
    assert not done.HasField("next_s")
    server.send(order(Order.SET_RATE, 1, 60.0, rate=2.0))
    assert (await server.only()).at_s == 63.0


@pytest.mark.parametrize(("signal", "ends"), [(9, True), (15, True), (10, False), (2, False), (19, False)])
async def test_a_scripted_job_ends_by_signals_9_and_15(server: ServerSide, signal: int, ends: bool) -> None:
    server.send(launch(1, 0.0, outcome=Outcome(run_s=10.0, memory_kb=5)))
    server.send(order(Order.SIGNAL, 1, 4.0, signal=signal))
    report = await server.only()
    assert (report.at_s, report.signal, report.memory_kb) == ((4.0, signal, 5) if ends else (10.0, 0, 5))


@pytest.mark.parametrize(("signal", "ends"), [(9, True), (10, True), (2, True), (17, False), (18, False)])
async def test_other_jobs_by_signals_that_end_processes(server: ServerSide, signal: int, ends: bool) -> None:
    server.send(launch(1, 0.0, estimate_s=10.0), order(Order.SIGNAL, 1, 4.0, signal=signal))
    assert (await server.only()).at_s == (4.0 if ends else 10.0)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome(never_starts=True), "never starts"),
        (Outcome(run_s=-1.0), "outcome.run_s: "),
        (Outcome(run_s=float("nan")), "outcome.run_s: "),
    ],
)
async def test_a_launch_that_cannot_be_run_says_so(server: ServerSide, outcome: Outcome, reason: str) -> None:
    server.send(launch(1, 2.0, outcome=outcome))
    report = await server.report()
    assert said(report) == ("NOT_STARTED", 1, 2.0)
    assert reason in report.reason


async def test_an_endless_job_ends_at_its_limit_or_never(server: ServerSide) -> None:
    server.send(launch(1, 0.0, float("inf"), limit_s=7.0), launch(2, 0.0, float("inf")))
    reports, done = await server.granted(1e300)
    assert [said(report) for report in reports] == [("ENDED", 1, 7.0)]
    assert not done.HasField("next_s")


async def test_a_node_that_dies_takes_its_jobs_with_it_and_returns() -> None:
    server = await welcomed(agent(repair_s=50.0, seed=3))
    dies = Outcome(run_s=100.0, node_dies_after_s=30.0)
    server.send(launch(1, 0.0, nodes=["node2", "node3"], outcome=dies))
    server.send(launch(2, 0.0, 60.0, nodes=["node2"]), launch(3, 0.0, 60.0, nodes=["node3"]))
    server.send(launch(4, 0.0, 30.0, nodes=["node2"]))
    reports, done = await server.granted(30.0)
    wanted = [("ENDED", 4, 30.0, ""), ("NODE_LOST", 1, 30.0, "node2")]
    assert [(*said(report), report.node) for report in reports] == wanted
    server.send(launch(5, 30.0, 1.0, nodes=["node2"]))
    refused = await server.report()
    assert said(refused) == ("NOT_STARTED", 5, 30.0)
    assert "node2" in refused.reason
    rest = await server.run_to_end()
    lost = [report for report in rest if report.kind == Report.NODE_RETURNED]
    assert [report.node for report in lost] == ["node2"]
    assert lost[0].at_s > 30.0
    assert [said(report) for report in rest if report.kind == Report.ENDED] == [("ENDED", 3, 60.0)]
    assert done.next_s == min(60.0, lost[0].at_s)
    server.send(launch(6, rest[-1].at_s, 1.0, nodes=["node2"]))
    assert [report.attempt.job_id for report in await server.run_to_end()] == [6]
    await server.close()


async def test_a_job_that_ends_before_its_node_would_die_just_ends(server: ServerSide) -> None:
    server.send(launch(1, 0.0, nodes=["node1"], outcome=Outcome(run_s=30.0, node_dies_after_s=30.0)))
    assert said(await server.only()) == ("ENDED", 1, 30.0)


async def test_nodes_fail_and_return_by_the_seed() -> None:
    def told(reports: list[Report]) -> list[tuple[str, str, float]]:
        return [(Report.Kind.Name(report.kind), report.node, report.at_s) for report in reports]

    async def history(seed: int) -> list[tuple[str, str, float]]:
        server = await welcomed(agent(mtbf_s=1000.0, repair_s=100.0, seed=seed))
        reports = await server.run_to_end(until_s=20_000.0)
        await server.close()
        return told(reports)

    one = await history(5)
    assert one == await history(5)
    assert one != await history(6)
    assert len(one) > 100
    for name in {node for _, node, _ in one}:
        kinds = [kind for kind, node, _ in one if node == name]
        assert kinds == (["NODE_LOST", "NODE_RETURNED"] * len(kinds))[: len(kinds)]


async def test_a_failure_ends_what_runs_on_the_node_without_another_word() -> None:
    server = await welcomed(agent(mtbf_s=1000.0, repair_s=100.0, seed=5))
    server.send(*(launch(node, 0.0, 1e6, nodes=[f"node{node}"]) for node in range(1, 9)))
    reports = await server.run_to_end(until_s=50_000.0)
    assert {report.kind for report in reports} == {Report.NODE_LOST, Report.NODE_RETURNED}
    await server.close()


async def test_on_time_of_its_own_ends_come_when_the_clock_reaches_them() -> None:
    clock = Hands()
    server = await welcomed(agent(clock=clock, follows_clock=False))
    server.send(launch(1, 0.0, 10.0), launch(2, 0.0, 5.0))
    await server.heard()
    clock.now += 5.0
    assert said(await server.report()) == ("ENDED", 2, 5.0)
    server.send(order(Order.SUSPEND, 1, 6.0), order(Order.RESUME, 1, 8.0))
    await server.heard()
    # The server's clock is ahead by 3 s, and says so; what is left is 1 s.
    server.send(launch(3, 11.0, 0.0))
    assert said(await server.report()) == ("ENDED", 3, 11.0)
    clock.now += 1.0
    assert said(await server.report()) == ("ENDED", 1, 12.0)
    await server.close()


async def test_an_order_comes_too_late_for_what_has_ended_before_it() -> None:
    clock = Hands()
    server = await welcomed(agent(clock=clock, follows_clock=False))
    server.send(launch(1, 0.0, 10.0), order(Order.SUSPEND, 1, 10.5), order(Order.KILL, 1, 11.0))
    assert said(await server.report()) == ("ENDED", 1, 10.0)
    assert said(await server.report()) == ("KILLED", 1, 11.0)
    await server.close()


async def test_ends_that_fell_into_an_outage_are_reported_at_once_with_their_own_instants() -> None:
    first = launch(1, 100.0, 50.0)
    for follows_clock in (True, False):
        server = ServerSide(agent(follows_clock=follows_clock))
        await server.registered()
        attempts = [
            first,
            resumed(launch(2, 100.0, 50.0), work_s=20.0, updated_s=130.0, rate=0.5),
            resumed(launch(3, 100.0, 50.0), work_s=20.0, updated_s=120.0, suspended=True),
            resumed(launch(4, 100.0, 500.0), work_s=10.0, updated_s=110.0),
        ]
        attempts[0] = resumed(first, work_s=0.0, updated_s=100.0)
        server.send(Welcome(now_s=200.0, attempts=attempts))
        reports = [await server.report(), await server.report()]
        assert [said(report) for report in reports] == [("ENDED", 1, 150.0), ("ENDED", 2, 190.0)]
        await server.close()


async def test_the_server_word_about_an_attempt_counts_after_a_reconnection() -> None:
    """A suspension was journalled, and its order lost with the connection."""
    one = agent()
    server = await welcomed(one)
    server.send(launch(1, 0.0, 50.0))
    await server.granted(10.0)
    await server.close()
    server = ServerSide(one)
    held = resumed(launch(1, 0.0, 50.0), work_s=10.0, updated_s=10.0, suspended=True)
    await server.welcomed(now_s=10.0, attempts=[held])
    _, done = await server.granted(500.0)
    assert not done.HasField("next_s")
    server.send(order(Order.RESUME, 1, 500.0, rate=1.0))
    assert [said(report) for report in await server.run_to_end()] == [("ENDED", 1, 540.0)]
    await server.close()


async def test_a_job_that_could_not_start_is_told_again_to_a_server_that_has_not_heard_it() -> None:
    server = ServerSide(agent())
    await server.registered()
    server.send(Welcome(now_s=9.0, attempts=[launch(1, 2.0, outcome=Outcome(never_starts=True))]))
    assert said(await server.report()) == ("NOT_STARTED", 1, 2.0)
    await server.close()


async def test_what_was_lost_with_its_node_is_not_taken_up_again() -> None:
    one = agent()
    server = await welcomed(one)
    dies = Outcome(run_s=100.0, node_dies_after_s=30.0)
    attempts = [launch(1, 0.0, nodes=["node1"], outcome=dies), launch(2, 0.0, 60.0, nodes=["node1"])]
    server.send(*attempts)
    lost = (await server.granted(30.0))[0]
    await server.close()
    server = await welcomed(one, now_s=30.0, attempts=attempts)
    assert await server.run_to_end() == lost
    await server.close()


async def test_ten_thousand_ends_of_one_instant_are_all_reported_once() -> None:
    """F39."""
    server = await welcomed(agent(nodes="node[00001-10000]"))
    server.send(*(launch(job, 0.0, 10.0, nodes=[f"node{job:05d}"]) for job in range(10_000, 0, -1)))
    reports, _ = await server.granted(10.0)
    assert [report.attempt.job_id for report in reports] == list(range(1, 10_001))
    assert [report.serial for report in reports] == list(range(1, 10_001))
    await asyncio.sleep(0)
    await server.close()


async def test_another_limit_counts_from_the_start_and_ends_what_is_over_it(server: ServerSide) -> None:
    server.send(launch(1, 0.0, 70.0, limit_s=50.0), launch(2, 0.0, 70.0, limit_s=50.0))
    server.send(launch(3, 0.0, 70.0, limit_s=50.0), launch(4, 0.0, 70.0, limit_s=50.0))
    server.send(order(Order.SET_LIMIT, 1, 20.0, limit_s=60.0), order(Order.SET_LIMIT, 2, 20.0, limit_s=80.0))
    server.send(order(Order.SET_LIMIT, 3, 20.0, limit_s=5.0), order(Order.SET_LIMIT, 4, 20.0))
    reports = await server.run_to_end()
    assert [(*said(report), report.timed_out) for report in reports] == [
        ("ENDED", 3, 20.0, True),
        ("ENDED", 1, 60.0, True),
        ("ENDED", 2, 70.0, False),
        ("ENDED", 4, 70.0, False),
    ]


async def test_a_suspended_job_keeps_its_work_when_its_limit_changes(server: ServerSide) -> None:
    server.send(launch(1, 0.0, 70.0, limit_s=50.0), order(Order.SUSPEND, 1, 10.0))
    server.send(order(Order.SET_LIMIT, 1, 40.0, limit_s=60.0), order(Order.RESUME, 1, 100.0))
    report = await server.only()
    assert (report.at_s, report.timed_out) == (150.0, True)


async def test_what_goes_on_elsewhere_is_not_lost_with_the_node_that_it_left() -> None:
    server = await welcomed(agent(repair_s=1e6, seed=3))
    dies = Outcome(run_s=90.0, node_dies_after_s=30.0)
    server.send(launch(1, 0.0, nodes=["node1"], outcome=dies))
    server.send(launch(2, 0.0, 60.0, nodes=["node1"]), launch(3, 0.0, 60.0, nodes=["node1"]))
    server.send(launch(4, 0.0, 60.0, nodes=["node3"]))
    server.send(order(Order.SUSPEND, 2, 5.0), order(Order.RESUME, 2, 10.0, nodes=["node2"]))
    server.send(order(Order.MOVE, 3, 10.0, nodes=["node2"]))
    reports, _ = await server.granted(40.0)
    assert [said(report) for report in reports] == [("NODE_LOST", 1, 30.0)]
    # And what is put onto a node that is down is not heard of again: the loss of the node says it all.
    server.send(order(Order.MOVE, 4, 40.0, nodes=["node1"]))
    wanted = [("ENDED", 3, 60.0), ("ENDED", 2, 65.0)]
    assert [said(report) for report in await server.run_to_end(100.0)] == wanted
    await server.close()
