"""Agents in processes of their own: a copy of one is refused by name, and a killed one is back at once."""

import asyncio
from pathlib import Path

from tests.kit.waiting import DEADLINE_S, eventually
from tests.torture.cluster import settings, toml
from tests.torture.real_processes import Process

LEASE_S = 3600.0


async def ended(process: Process) -> tuple[int | None, list[str]]:
    """How *process* ended by itself, and what it said."""
    await asyncio.wait_for(process.running.wait(), DEADLINE_S)
    return process.running.returncode, process.log.read_text().splitlines()


async def test_a_copy_is_refused_and_the_same_agent_comes_back_at_once(tmp_path: Path) -> None:
    state, config = tmp_path / "state", tmp_path / "server.toml"
    config.write_text(toml(settings(str(state), **{"agents.lease_s": LEASE_S, "agents.heartbeat_s": 60.0})))
    server = await Process.start(("serve", "--config", config), tmp_path / "server.log")
    started = [server]
    try:
        target = server.ready.split("molokini is ready: ")[1].split(",")[0]
        port = target.rpartition(":")[2]

        def agent(at: str) -> tuple[object, ...]:
            token = ("--token-file", state / "agent-token", "--nodes", 2)
            return ("agent", "--server", at, "--name", "agent1", *token)

        first = await Process.start(agent(target), tmp_path / "first.log")
        started.append(first)
        here = await Process.begin(agent(target), tmp_path / "here.log")
        # By another name of the server it is what a copy on another machine is: its claim is another one.
        there = await Process.begin(agent(f"localhost:{port}"), tmp_path / "there.log")
        started += [here, there]
        code, [line] = await ended(here)
        assert code == 2
        assert f"runs on this machine already, as process {first.running.pid}: give this one another" in line
        code, [line] = await ended(there)
        assert code == 2
        assert "agent agent1 is connected already: start this one with another --name" in line
        await first.kill()
        again = await Process.start(agent(target), tmp_path / "again.log")
        started.append(again)
        said = server.log.read_text
        await eventually(lambda: said().count("agent agent1 from ipv4:127.0.0.1") >= 2)
        assert said().count("is refused: agent agent1 is connected already") == 1
        assert said().count("is connected, with 2 nodes") == 2
        assert await server.stop() == 0
    finally:
        for process in started:
            if process.alive:
                await process.kill()
