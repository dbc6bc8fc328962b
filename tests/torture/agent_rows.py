"""Fault rows about agents and the link to them."""

import asyncio
import time
from contextlib import suppress

from molokini.agents.agent import EmulatedAgent
from molokini.agents.grpc_link import run_agent
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.proto.v1.cluster_service_pb2 import NodeState
from tests.torture.parrot import FEATURE, Parrot
from tests.torture.rig import SILENCE_S, Rig

RETURN_S = 60.0


async def f8(rig: Rig) -> None:
    """An agent is killed while jobs run, and comes back a second later."""
    for _ in range(rig.times(2)):
        await rig.cluster.kill_agent("one")
        await asyncio.sleep(rig.rng.uniform(0.2, 1.0))
        await rig.cluster.restart_agent("one")
        await rig.cluster.agent_ready("one")
        await asyncio.sleep(rig.rng.uniform(0.2, 1.0))


async def f9(rig: Rig) -> None:
    """An agent is killed in a tight loop, mostly before it has said a word."""
    for _ in range(rig.times(10)):
        await rig.cluster.kill_agent("one")
        await rig.cluster.restart_agent("one")
        await asyncio.sleep(rig.rng.uniform(0.1, 0.7))
    await rig.cluster.agent_ready("one")


async def f13(rig: Rig) -> None:
    """An agent is killed and stays away: its nodes are lost, their jobs run again elsewhere."""
    await rig.cluster.kill_agent("two")
    await nodes_are(rig, "two", NodeState.DOWN)
    await rig.cluster.restart_agent("two")
    await rig.cluster.agent_ready("two")
    await nodes_are(rig, "two", NodeState.UP)


async def f15(rig: Rig) -> None:
    """An agent is paused for longer than its lease."""
    await rig.cluster.agents["two"].paused_for(SILENCE_S + rig.rng.uniform(0.0, 1.0))
    await nodes_are(rig, "two", NodeState.UP)


async def f16(rig: Rig) -> None:
    """The link between all agents and the server falls silent for longer than the lease, then heals."""
    rig.cluster.nodes.cut()
    try:
        await asyncio.sleep(SILENCE_S)
    finally:
        rig.cluster.nodes.heal()
    began_s = time.monotonic()
    for name in ("one", "two"):
        await nodes_are(rig, name, NodeState.UP)
    rig.figures["healed_s"] = round(time.monotonic() - began_s, 2)


async def f16_forgotten(rig: Rig) -> None:
    """The connections of agents fall silent for good; agents find out by themselves, and make new ones."""
    rig.cluster.nodes.forget()
    began_s = time.monotonic()
    await asyncio.sleep(SILENCE_S)
    for name in ("one", "two"):
        await nodes_are(rig, name, NodeState.UP)
    rig.figures["found out_s"] = round(time.monotonic() - began_s, 2)


async def f16_half(rig: Rig) -> None:
    """One direction of the link falls silent (F17); after that it breaks in mid message (F18, F19)."""
    relay = rig.cluster.nodes
    for way in (relay.up, relay.down):
        way.clear()
        try:
            await asyncio.sleep(SILENCE_S)
        finally:
            relay.heal()
        for name in ("one", "two"):
            await nodes_are(rig, name, NodeState.UP)
    relay.delay_s = 0.05
    for _ in range(rig.times(5)):
        await asyncio.sleep(rig.rng.uniform(0.1, 0.6))
        relay.reset()
    relay.heal()


async def f22(rig: Rig) -> None:
    """An agent repeats its reports, mixes them up, says them late, and tells tales of others."""
    token = (rig.cluster.state / "agent-token").read_text().strip()
    parrot = Parrot(rig.rng, rig.cluster.nodes.target, token)
    async with parrot:
        await nodes_are(rig, "parrot", NodeState.UP)
        ledger = rig.load.ledger(f"parrot-{rig.rng.randrange(10**9)}")
        async with rig.cluster.client() as client:
            tales = 0
            for turn in range(rig.times(4)):
                jobs = [
                    (
                        f"{ledger.path.stem}-{turn}-{k}",
                        {"run_s": 0.01 * rig.rng.randint(1, 20), "exit_code": k % 3},
                    )
                    for k in range(40)
                ]
                numbers = await rig.load.submit_together(client, ledger, jobs, features=[FEATURE])
                parrot.others = [
                    (job.id, job.attempt)
                    async for job in client.jobs(states=["running"])
                    if not job.allocation[0].node.startswith("parrot")
                ]
                tales += len(parrot.others)
                await asyncio.sleep(rig.rng.random() * 0.2)
                rig.cluster.nodes.reset()
                waited = await client.wait(numbers, RETURN_S)
                assert waited.all_ended, "jobs whose ends were reported many times have not ended"
        ledger.close()
    rig.figures["others' jobs it may tell of"] = tales
    rig.figures["reports said"] = parrot.said


async def f39(rig: Rig) -> None:
    """Many agents come back in one second, and many jobs end in one second."""
    count = rig.times(40)
    token = (rig.cluster.state / "agent-token").read_text().strip()
    agents = [
        EmulatedAgent(
            f"crowd{k:03d}",
            [NodeOffer(names=f"crowd{k:03d}", processors=8)],
            follows_clock=False,
            monotonic=time.monotonic,
            identity=f"crowd{k:03d}",
        )
        for k in range(count)
    ]
    tasks = [asyncio.create_task(run_agent(rig.cluster.nodes.target, one, token)) for one in agents]
    try:
        await _all_up(rig, tasks)
        rig.cluster.nodes.reset()
        await _all_up(rig, tasks)
        await _ends_together(rig, rig.times(300))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    # The crowd has gone for good: what still ran on it runs again elsewhere.
    await nodes_are(rig, "crowd000", NodeState.DOWN)


async def _ends_together(rig: Rig, count: int) -> None:
    """Submit jobs that all end at about the same instant, and wait for them."""
    ledger = rig.load.ledger(f"crowd-{rig.rng.randrange(10**9)}")
    lead_s = 2.0
    end_s = time.monotonic() + lead_s
    async with rig.cluster.client() as client:
        jobs = []
        for k in range(count):
            key = f"{ledger.path.stem}-{k}"
            outcome = {"run_s": round(max(0.01, end_s - time.monotonic()), 4)}
            jobs.append((key, outcome))
        numbers = await rig.load.submit_together(client, ledger, jobs)
        began_s = time.monotonic()
        waited = await client.wait(numbers, RETURN_S)
        assert waited.all_ended, "jobs that end together have not all ended"
        rig.figures["calm_s"] = round(time.monotonic() - began_s, 2)
    ledger.close()


async def _all_up(rig: Rig, tasks: "list[asyncio.Task[None]]") -> None:
    async with rig.cluster.client() as client, asyncio.timeout(RETURN_S):
        while True:
            for task in tasks:
                if task.done():
                    task.result()
            up = [n async for n in client.nodes(states=["up"]) if n.agent.startswith("crowd")]
            if len(up) == len(tasks):
                return
            await asyncio.sleep(0.1)


async def nodes_are(rig: Rig, agent: str, state: "NodeState") -> None:
    """Wait until all nodes of *agent* are in *state*."""
    end_s = time.monotonic() + RETURN_S
    seen: set[int] = set()
    async with rig.cluster.client() as client:
        while time.monotonic() < end_s:
            with suppress(TimeoutError):
                seen = {node.state async for node in client.nodes() if node.agent == agent}
            if seen == {state}:
                return
            await asyncio.sleep(0.1)
    names = ", ".join(NodeState.Name(one) for one in seen)
    raise AssertionError(f"nodes of {agent} are {names}, not all {NodeState.Name(state)}")
