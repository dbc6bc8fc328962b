"""Fault rows about the server's process: killed, stopped, paused, doubled."""

import asyncio
import signal
import time
from collections.abc import Callable

from molokini.model.errors import MolokiniError
from molokini.server.crash import POINTS, STATUS, VARIABLE
from tests.torture.cluster import HASTY
from tests.torture.real_processes import DidNotStart, Process
from tests.torture.rig import SILENCE_S, Rig

PASSED_WITHIN_S = 6.0
"""A crash point that is not passed under load within so long is counted as not passed."""
RARE, RARE_WITHIN_S = ("snapshot", "retiring"), 30.0
"""Those that come by and by; they must be passed."""
MOST_SCRIPTS = 40
KINDS = ("JobsSubmitted", "JobStarted", "JobEnded", "ReportsTaken", "JobStopping", "JobRequeued")


async def f1(rig: Rig) -> None:
    """The server is killed at random times under load."""
    for _ in range(rig.times(4)):
        await asyncio.sleep(rig.rng.uniform(0.05, 1.5))
        await rig.cluster.restart_server()


def plans() -> list[str]:
    """Every named crash point; those of a commit once for each kind of fact that users and agents cause."""
    made = []
    for point in POINTS:
        if point in ("before-commit", "after-commit"):
            made += [f"{point}/{kind}" for kind in KINDS]
        made.append(point)
    return made


async def f2(rig: Rig) -> None:
    """The server dies at each named crash point, before and after what it makes durable."""
    await die_at_points(rig, plans())


async def die_at_points(rig: Rig, wanted: list[str]) -> None:
    """The server dies at each of *wanted*, by and by; those of a snapshot must have been passed."""
    rig.rng.shuffle(wanted)
    if rig.scale < 1:
        wanted = wanted[: rig.times(len(wanted))]
    passed: list[str] = []
    missed: list[str] = []
    for plan in wanted:
        await rig.cluster.kill_server()
        died = await _dies_at(rig, f"{plan}:{rig.rng.randint(1, 5)}" if "/" in plan else plan)
        (passed if died else missed).append(plan)
        await rig.cluster.start_server()
    rig.figures["crash points"] = len(passed)
    assert not any(map(_rare, missed)), f"never passed under load: {', '.join(missed)}"
    if missed:
        rig.figures["never passed"] = ", ".join(sorted(missed))


def _rare(plan: str) -> bool:
    return any(word in plan for word in RARE)


async def _dies_at(rig: Rig, plan: str) -> bool:
    """Whether a server with that crash point dies of it."""
    cluster = rig.cluster
    server = await cluster.begin_server({VARIABLE: plan})
    try:
        await server.until_ready()
        cluster.listens()
        if "checkpoint" in plan:
            await _write_much(rig, server)
        within_s = RARE_WITHIN_S if _rare(plan) else PASSED_WITHIN_S
        status = await asyncio.wait_for(server.running.wait(), within_s)
    except DidNotStart as error:
        if error.status != STATUS:
            raise
        status = STATUS
    except TimeoutError:
        await cluster.kill_server()
        return False
    assert status == STATUS, f"{plan}: the server ended with {status}: {server.log.read_text()[-500:]}"
    cluster.gone()
    cluster.kills += 1
    return True


async def _write_much(rig: Rig, server: Process) -> None:
    """Submit jobs with long scripts, so that the write-ahead log is due, until the server dies of it."""
    ledger = rig.load.ledger(f"scripts-{rig.rng.randrange(10**9)}")

    async def one(key: str) -> None:
        async with rig.cluster.client(HASTY) as client:
            await rig.load.submit_together(client, ledger, [(key, {"run_s": 0.01})], script="#" * 500_000)

    tasks = []
    for k in range(MOST_SCRIPTS):
        tasks.append(asyncio.create_task(one(f"{ledger.path.stem}-{k}")))
        await asyncio.sleep(0.1)
        if not server.alive:
            break
    rig.load.follow(tasks)


async def f3(rig: Rig) -> None:
    """The server is killed again and again while it recovers."""
    await rig.cluster.kill_server()
    for _ in range(rig.times(5)):
        server = await rig.cluster.begin_server()
        await asyncio.sleep(rig.rng.choice((0.05, 0.2, 0.4, 0.6, 1.0)))
        await server.kill()
        rig.cluster.kills += 1
    await rig.cluster.start_server()


async def f4(rig: Rig) -> None:
    """The server is told to stop under load: it is gone in time, and jobs go on without it."""
    for _ in range(rig.times(2)):
        await asyncio.sleep(rig.rng.uniform(0.2, 1.0))
        began_s = time.monotonic()
        status = await rig.cluster.stop_server()
        took_s = time.monotonic() - began_s
        assert status == 0, f"SIGTERM under load: status {status}"
        assert took_s < rig.cluster.settings["stop.bound_s"] + 2.0, f"the stop took {took_s:.1f} s"
        rig.figures["stop_s"] = round(max(took_s, rig.figures.get("stop_s", 0.0)), 2)
        await rig.cluster.start_server()


async def f5(rig: Rig) -> None:
    """The server is paused, for a moment and for longer than every lease; no node is lost at its waking."""
    server = rig.cluster.server
    assert server is not None
    for pause_s in (1.0, SILENCE_S):
        await server.paused_for(pause_s)
        await rig.cluster.answers()
        await _no_node_is_down(rig)


async def _no_node_is_down(rig: Rig) -> None:
    end_s = time.monotonic() + 2.0
    async with rig.cluster.client() as client:
        while time.monotonic() < end_s:
            down = [node async for node in client.nodes(states=["down"])]
            # Those of agents that an earlier row has sent away are rightly down.
            lost = [node.name for node in down if node.agent in rig.cluster.agents]
            assert not lost, f"{len(lost)} nodes were given up when the server woke: {lost[:3]}"
            await asyncio.sleep(0.1)


async def f6(rig: Rig) -> None:
    """A second server on the same state refuses to start and names the holder; the first goes on."""
    first = rig.cluster.server
    assert first is not None
    log = rig.folder / "second.log"
    try:
        second = await Process.start(("serve", "--config", rig.cluster.config), log)
    except DidNotStart as error:
        named = error.refusal()
        assert str(first.running.pid) in named, f"the holder is not named: {named}"
    else:
        await second.kill()
        raise AssertionError("two servers have taken one state")
    await rig.cluster.answers()


async def f42(rig: Rig) -> None:
    """The configuration is reloaded: a bad file changes nothing and says why, a good one takes effect."""
    cluster = rig.cluster
    server = cluster.server
    assert server is not None
    async with cluster.client() as client:
        before = (await client.policy()).name, sorted([one.name for one in await client.queues()])
        for bad in ('polcy.name = "fcfs"\n', 'policy.name = "nonsense"\n', "this is no TOML\n"):
            size = server.log.stat().st_size
            if bad.startswith("policy"):
                cluster.write_config(**{"policy.name": "nonsense"})
            else:
                cluster.write_config()
                cluster.config.write_text(bad + cluster.config.read_text())
            server.signal(signal.SIGHUP)
            await _until(lambda s=size: "nothing has changed" in server.log.read_text()[s:])  # type: ignore[misc]
            now = (await client.policy()).name, sorted([one.name for one in await client.queues()])
            assert now == before, f"a bad file changed {before} to {now}"
        cluster.queues = '[[queues]]\nname = "default"\n[[queues]]\nname = "later"\nmax_jobs = 7\n'
        cluster.write_config(**{"policy.name": "fcfs"})
        size = server.log.stat().st_size
        server.signal(signal.SIGHUP)
        await _until(lambda: "configuration reloaded" in server.log.read_text()[size:])
        assert (await client.policy()).name == "fcfs"
        assert {one.name: one.max_jobs for one in await client.queues()}["later"] == 7
        cluster.queues = '[[queues]]\nname = "default"\n'
        cluster.write_config()
        size = server.log.stat().st_size
        server.signal(signal.SIGHUP)
        await _until(lambda: "configuration reloaded" in server.log.read_text()[size:])
        assert (await client.policy()).name == before[0]
        assert [one.name for one in await client.queues()] == ["default"]


async def preempting(rig: Rig) -> None:
    """F1 under a policy that suspends jobs and resumes them elsewhere, at another agent too."""
    async with rig.apart("preempting", rate=50.0, nodes=2, **{"policy.name": "srpt"}) as own:
        for _ in range(own.times(2)):
            await asyncio.sleep(own.rng.uniform(1.0, 3.0))
            await own.cluster.restart_server()
        await asyncio.sleep(1.0)


async def _until(holds: Callable[[], bool], within_s: float = 20.0) -> None:
    end_s = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > end_s:
            raise MolokiniError("what was waited for has not come")
        await asyncio.sleep(0.02)
