"""Words that come twice, late or for several nodes, and nodes that fail while an agent is away."""

import asyncio
import time

import pytest

from molokini.agents.agent import EmulatedAgent
from molokini.agents.failures import Failures
from molokini.proto.v1.agent_service_pb2 import Acknowledge, NodeOffer, Order, Report
from molokini.proto.v1.jobs_pb2 import Outcome
from tests.kit.agents import (
    Hands,
    ServerSide,
    agent,
    launch,
    nothing_more,
    order,
    ref,
    resumed,
    said,
    welcomed,
)

LOOKS = 0.02
DEADLINE_S = 300.0


async def test_a_launch_that_comes_again_takes_back_no_orders_since(server: ServerSide) -> None:
    server.send(launch(1, 0.0, 10.0), order(Order.SUSPEND, 1, 4.0), launch(1, 0.0, 10.0))
    server.send(order(Order.RESUME, 1, 100.0))
    assert (await server.only()).at_s == 106.0


async def test_of_two_attempts_the_earlier_goes_even_where_the_later_cannot_start(server: ServerSide) -> None:
    server.send(launch(1, 0.0, 10.0), launch(1, 5.0, attempt=2, outcome=Outcome(never_starts=True)))
    assert said(await server.only()) == ("NOT_STARTED", 1, 5.0)


async def test_a_suspension_or_a_resumption_that_comes_again_changes_nothing(server: ServerSide) -> None:
    server.send(launch(1, 0.0, 10.0), order(Order.RESUME, 1, 4.0), launch(2, 0.0, 10.0))
    server.send(order(Order.SUSPEND, 2, 4.0), order(Order.SUSPEND, 2, 6.0), order(Order.RESUME, 2, 30.0))
    server.send(order(Order.RESUME, 2, 33.0))
    assert [said(report) for report in await server.run_to_end()] == [("ENDED", 1, 10.0), ("ENDED", 2, 36.0)]


async def test_a_new_estimate_is_when_a_job_ends_of_which_nothing_is_scripted(server: ServerSide) -> None:
    longer = Order(kind=Order.SET_LIMIT, attempt=ref(1), at_s=5.0, limit_s=50.0, estimate_s=30.0)
    server.send(launch(1, 0.0, estimate_s=10.0, limit_s=10.0), longer)
    report = await server.only()
    assert (report.at_s, report.timed_out) == (30.0, False)


async def test_what_is_killed_says_how_much_memory_it_took(server: ServerSide) -> None:
    server.send(launch(1, 0.0, outcome=Outcome(run_s=10.0, memory_kb=77)), order(Order.KILL, 1, 4.0))
    assert (await server.only()).memory_kb == 77


@pytest.mark.parametrize("signal", [0, 17, 18, 19, 20, 21, 22, 23, 28])
async def test_signals_that_end_no_process_end_no_job(server: ServerSide, signal: int) -> None:
    server.send(launch(1, 0.0, estimate_s=10.0), order(Order.SIGNAL, 1, 4.0, signal=signal))
    assert (await server.only()).at_s == 10.0


async def test_the_loss_of_any_of_its_nodes_ends_a_job_and_keeps_others_from_it() -> None:
    server = await welcomed(agent(repair_s=1e6, seed=3))
    server.send(launch(1, 0.0, nodes=["node2"], outcome=Outcome(run_s=90.0, node_dies_after_s=30.0)))
    server.send(launch(2, 0.0, 60.0, nodes=["node1", "node2"]), launch(3, 0.0, 60.0, nodes=["node1"]))
    reports, _ = await server.granted(30.0)
    assert [said(report) for report in reports] == [("NODE_LOST", 1, 30.0)]
    server.send(launch(4, 31.0, 5.0, nodes=["node1", "node2"]))
    refused = await server.report()
    assert said(refused) == ("NOT_STARTED", 4, 31.0)
    assert "node2" in refused.reason
    server.send(order(Order.MOVE, 3, 40.0, nodes=["node3", "node2"]))
    assert await server.run_to_end(1000.0) == []
    await server.close()


async def test_what_is_resumed_without_a_word_about_its_place_is_where_it_was() -> None:
    server = await welcomed(agent(repair_s=1e6, seed=3))
    server.send(launch(1, 0.0, nodes=["node1"], outcome=Outcome(run_s=90.0, node_dies_after_s=30.0)))
    server.send(launch(2, 0.0, 60.0, nodes=["node1"]))
    server.send(order(Order.SUSPEND, 2, 5.0), order(Order.RESUME, 2, 10.0))
    # With its node it is gone, too.
    assert [said(report) for report in await server.run_to_end(1000.0)] == [("NODE_LOST", 1, 30.0)]
    await server.close()


async def test_what_ends_at_the_instant_of_the_welcome_waits_for_the_grant_of_it() -> None:
    server = ServerSide(agent())
    await server.welcomed(now_s=10.0, attempts=[resumed(launch(1, 0.0, 10.0), 0.0, 0.0)])
    await server.heard()
    with nothing_more(server):
        await asyncio.sleep(LOOKS)
    reports, _ = await server.granted(10.0)
    assert [said(report) for report in reports] == [("ENDED", 1, 10.0)]
    await server.close()


@pytest.mark.parametrize("granted", [False, True])
async def test_an_order_or_a_grant_puts_an_agents_own_clock_forward(granted: bool) -> None:
    clock = Hands()
    server = await welcomed(agent(clock=clock, follows_clock=False))
    server.send(launch(1, 0.0, 10.0))
    if granted:
        reports, done = await server.granted(9.0)
        assert (reports, done.next_s) == ([], 10.0)
    else:
        server.send(order(Order.SET_RATE, 1, 9.0, rate=1.0))
        await server.heard()
    clock.now += 1.0
    assert said(await server.report()) == ("ENDED", 1, 10.0)
    await server.close()


@pytest.mark.parametrize("resumes", [False, True])
async def test_an_end_near_at_hand_wakes_an_agent_that_looks_seldom(resumes: bool) -> None:
    offers = [NodeOffer(names="node1", processors=4)]
    one = EmulatedAgent("a", offers, follows_clock=False, monotonic=time.monotonic, look_s=300.0)
    server = await welcomed(one)
    await asyncio.sleep(LOOKS)
    if resumes:
        server.send(launch(1, 0.0, 100.0), order(Order.SUSPEND, 1, 0.0))
        await server.heard()
        await asyncio.sleep(LOOKS)
        server.send(order(Order.RESUME, 1, 0.1, rate=1000.0))
    else:
        server.send(launch(1, 0.0, 0.1))
    report = await asyncio.wait_for(server.report(), DEADLINE_S)
    assert report.kind == Report.ENDED
    await server.close()


MTBF_S, REPAIR_S, SEED = 1000.0, 100.0, 5


def failing() -> EmulatedAgent:
    return agent(mtbf_s=MTBF_S, repair_s=REPAIR_S, seed=SEED)


def outages(count: int) -> list[tuple[float, float]]:
    """The first outages of node1 that such an agent has."""
    failures, found = Failures(SEED, MTBF_S, REPAIR_S), [(0.0, 0.0)]
    while len(found) <= count:
        found.append(failures.next_outage("node1", found[-1][1]))
    return found[1:]


async def of_node1(server: ServerSide, until_s: float) -> list[tuple[str, float]]:
    reports = await server.run_to_end(until_s)
    server.send(Acknowledge(serial=max((report.serial for report in reports), default=0)))
    return [(Report.Kind.Name(one.kind), one.at_s) for one in reports if one.node == "node1"]


async def test_a_broken_connection_changes_no_outage() -> None:
    (lost_s, returned_s), (again_s, _) = outages(2)
    one = failing()
    server = await welcomed(one)
    middle_s = (lost_s + returned_s) / 2
    assert await of_node1(server, middle_s) == [("NODE_LOST", lost_s)]
    await server.close()
    server = await welcomed(one, now_s=middle_s)
    expected = [("NODE_RETURNED", returned_s), ("NODE_LOST", again_s)]
    assert await of_node1(server, again_s) == expected
    await server.close()


async def test_an_agent_made_anew_looks_for_losses_from_the_latest_start_on_a_node() -> None:
    """Of two jobs that the server believes to run, the later shows that the node was up when it began."""
    (lost_s, returned_s), (again_s, _) = outages(2)
    later_s = returned_s + 1.0
    attempts = [
        resumed(launch(1, lost_s - 1.0, 1e6, nodes=["node1"]), 0.0, lost_s - 1.0),
        resumed(launch(2, later_s, 1e6, nodes=["node1"]), 0.0, later_s),
        resumed(launch(3, lost_s - 0.5, 1e6, nodes=["node1"]), 0.0, lost_s - 0.5),
    ]
    server = await welcomed(failing(), now_s=later_s, attempts=attempts)
    assert await of_node1(server, again_s) == [("NODE_LOST", again_s)]
    await server.close()


async def test_what_began_within_an_outage_meets_the_next_one() -> None:
    """Somebody had given the node back, and it was up by all that the server has seen."""
    (lost_s, returned_s), (again_s, _) = outages(2)
    began_s = (lost_s + returned_s) / 2
    server = ServerSide(failing())
    attempts = [resumed(launch(1, began_s, 1e6, nodes=["node1"]), 0.0, began_s)]
    await server.welcomed(now_s=returned_s, attempts=attempts)
    assert await of_node1(server, again_s) == [("NODE_LOST", again_s)]
    await server.close()


async def test_an_outage_while_no_agent_was_there_is_found_by_the_next_one() -> None:
    (lost_s, returned_s), _ = outages(2)
    server = ServerSide(failing())
    attempts = [resumed(launch(1, lost_s - 1.0, 1e6, nodes=["node1"]), 0.0, lost_s - 1.0)]
    await server.welcomed(now_s=returned_s + 1.0, attempts=attempts)
    expected = [("NODE_LOST", lost_s), ("NODE_RETURNED", returned_s)]
    assert await of_node1(server, returned_s + 1.0) == expected
    await server.close()
