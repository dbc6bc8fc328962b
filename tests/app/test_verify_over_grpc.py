"""The same decisions, shown once more with nothing in between left out.

Server, agent and client are three processes and talk over gRPC; the server grants the agent its instants.
"""

from pathlib import Path

import pytest

from molokini.app.verifying import history_of, simulated_history, spec_of
from molokini.client.calls import Patience
from molokini.client.client import Client
from molokini.server.translate import spec_to_wire
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload
from tests.app.test_verify import LOG
from tests.torture.cluster import settings, toml
from tests.torture.real_processes import Process

JOBS = 300
AFTER_THE_LAST_S = 1e7
PATIENCE = Patience(timeout_s=60.0, attempt_s=60.0)


async def _through_grpc(folder: Path, work: Workload, processors: int, policy: str) -> None:
    """Every job is submitted at its own instant, by a client that turns the clock there."""
    state, config = folder / "state", folder / "server.toml"
    given = {"policy.name": policy, "clock.kind": "stepped", "agents.lease_s": 60.0}
    config.write_text(toml(settings(str(state), **given)))
    server = await Process.start(("serve", "--config", config), folder / "server.log")
    agent = None
    try:
        target = server.ready.split("molokini is ready: ")[1].split(",")[0]
        nodes = ("--nodes", processors, "--procs-per-node", 1, "--follow-clock")
        given_agent = ("agent", "--server", target, "--token-file", state / "agent-token", *nodes)
        agent = await Process.start(given_agent, folder / "agent.log")
        async with Client.connect(target, (state / "token").read_text().strip(), None, PATIENCE) as client:
            await _submit_all(client, work)
            await client.advance(AFTER_THE_LAST_S)
            ended = [job async for job in client.jobs(include_ended=True) if job.HasField("end_s")]
        assert len(ended) == len(work)
        assert await server.stop() == 0
    finally:
        for process in (server, agent):
            if process is not None and process.alive:
                await process.kill()


async def _submit_all(client: Client, work: Workload) -> None:
    now_s = (await client.clock()).now_s
    for place in range(len(work)):
        due_s = float(work.submit_s[place])
        if due_s > now_s:
            # Whole seconds, which doubles add without a rest.
            await client.advance(due_s - now_s)
            now_s = due_s
        assert await client.submit(spec_to_wire(spec_of(work, place))) == place + 1


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["easy", "conservative"])
async def test_over_grpc_jobs_of_a_log_start_and_end_as_simulated(policy: str, tmp_path: Path) -> None:
    log = read_workload(LOG)
    assert log.machine_processors is not None
    processors, work = int(log.machine_processors), log.take(slice(0, JOBS))
    await _through_grpc(tmp_path, work, processors, policy)
    live = await history_of(tmp_path / "state", len(work))
    differences = live.differences(simulated_history(work, processors, policy))
    assert set(differences.values()) == {0.0}
    assert live.facts >= 3 * len(work)
