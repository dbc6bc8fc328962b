"""A command that is submitted to emulated nodes is not run, and the commands say so."""

import json
from pathlib import Path

import pytest

from tests.kit.batch_commands import system_variables
from tests.torture.real_processes import Process

SAID = (
    "molokini: the nodes are emulated: hostname is not run, the job pretends to run for its estimate; "
    "--emulate run=SECONDS says for how long; "
    "'molokini up --mode process' and 'molokini agent --mode process' run commands\n"
)


@pytest.mark.deep
async def test_a_command_that_no_node_runs(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "slurm", up=("--nodes", 2, "--procs-per-node", 2)) as cluster:
        run = cluster.molokini
        said = await run("submit", "--processors", 3, "--", "hostname")
        assert said == ("1\n", SAID, 0)
        # What is scripted is what the user wants.
        assert await run("submit", "--emulate", "run=5", "--", "hostname") == ("2\n", "", 0)
        told = json.loads((await run("submit", "--hold", "--json", "--", "hostname")).out)
        assert (told["id"], told["emulated"]) == (3, True)
        assert (
            "emulated    its command is not run, it pretends for its estimate\n" in (await run("job", 1)).out
        )
        assert "emulated    run=5\n" in (await run("job", 2)).out
        assert json.loads((await run("job", 1, "--json")).out)["emulated"] is True
        nothing = (
            "molokini: job 1 writes nothing: node[001-002] are emulated; "
            "'molokini up --mode process' and 'molokini agent --mode process' run commands\n"
        )
        # It runs: --follow does not wait for the end of a job that will never write.
        assert await run("logs", 1) == ("", nothing, 2)
        assert await run("logs", 1, "--follow") == ("", nothing, 2)
        assert "has not started" in (await run("logs", 3)).err


async def test_up_says_that_its_nodes_are_emulated(tmp_path: Path) -> None:
    arguments = ("up", "--nodes", 1, "--listen", "127.0.0.1:0")
    server = await Process.start(arguments, tmp_path / "log", {"NUMBA_DISABLE_JIT": "1"})
    assert await server.stop() == 0
    assert (
        "molokini: the nodes are emulated: jobs pretend to run, and their commands are not run; "
        "--mode process runs them on this machine"
    ) in (tmp_path / "log").read_text().splitlines()
