"""The commands of a batch system as a shell runs them, against a live server."""

import asyncio
import os
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from molokini.app import up as up_command
from molokini.app.process_agent import local_agent
from molokini.app.serving import LiveServer
from molokini.clients.live.shim_files import write_shims
from molokini.compat.table import commands
from molokini.compiled.compilation import interpreting
from molokini.processes.agent import ProcessAgent
from molokini.testing.hosting import host
from tests.torture.real_processes import Process

_OURS = ("MOLOKINI_", "PBS_", "SLURM_", "LSB_")


class Ran(NamedTuple):
    """What a command has said, and its exit code."""

    out: str
    err: str
    code: int

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Cluster:
    """A server at work, with the commands of some batch systems in a folder."""

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self.folder, self.bin = folder, bin_folder

    def environment(self, **more: str) -> dict[str, str]:
        """Our own, with the commands first on the path, and without what would name another server."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        return {**inherited, "PATH": f"{self.bin}:{inherited['PATH']}", **more}

    async def ran(
        self, command: str, *words: object, given: str = "", folder: Path | None = None, **variables: str
    ) -> Ran:
        """Run *command* (of a batch system, or any on the path) in *folder*, with *given* on standard
        input."""
        path = self.bin / command
        running = await asyncio.create_subprocess_exec(
            str(path) if path.exists() else command,
            *map(str, words),
            cwd=folder or self.folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self.environment(**variables),
        )
        out, err = await running.communicate(given.encode())
        assert running.returncode is not None
        return Ran(out.decode(), err.decode(), running.returncode)

    async def molokini(self, *words: object) -> Ran:
        """Run our own command."""
        from tests.clients.command_runs import command, environment

        running = await asyncio.create_subprocess_exec(
            *command(*words),
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(),
        )
        out, err = await running.communicate()
        assert running.returncode is not None
        return Ran(out.decode(), err.decode(), running.returncode)


@asynccontextmanager
async def system_variables(folder: Path, *systems: str, up: tuple[Any, ...] = ()) -> AsyncIterator[Cluster]:
    """What ``molokini up`` with the arguments *up* serves, and the commands.

    The server is in this process, which takes a tenth of the time that one of its own takes to start; its
    policy is not compiled.
    """
    bin_folder = _commands(folder, systems)
    with interpreting():
        server, agent = await _hosted(_served(folder, up))
    try:
        yield Cluster(folder, bin_folder)
    finally:
        await _hosted(server.stop())
        if agent is not None:
            await asyncio.to_thread(agent.end_jobs)


@asynccontextmanager
async def system_variables_process(
    folder: Path, *systems: str, up: tuple[Any, ...] = ()
) -> AsyncIterator[Cluster]:
    """``molokini up`` itself, as a user starts it, and the commands."""
    bin_folder = _commands(folder, systems)
    server = await Process.start(("up", *up), folder / "log")
    try:
        yield Cluster(folder, bin_folder)
        assert await server.stop() == 0
    finally:
        if server.alive:
            await server.kill()


def _commands(folder: Path, systems: tuple[str, ...]) -> Path:
    known = commands()
    write_shims(folder / "bin", {name: known[name] for name in systems}, str(folder / "molokini-state"))
    return folder / "bin"


async def _hosted(work: Any) -> Any:
    """Run *work* where servers live, while this loop goes on."""
    return await asyncio.to_thread(host().run, work)


async def _served(folder: Path, up: tuple[Any, ...]) -> tuple[LiveServer, ProcessAgent | None]:
    given = _arguments(folder, up)
    config = up_command.configuration(given, {"server.new": True})
    real = up_command.real_offer(given, config)
    live, agent = await LiveServer.open(config), None
    try:
        await live.start()
        if real is None:
            offers = up_command.offers(given, config, ())
            live.emulate(offers)
        else:
            offers = [real]
            agent = local_agent(real, live.folder)
            live.stand(agent, agent.follows)
        await live.ready(len(up_command.named(offers)))
    except BaseException:
        await live.stop()
        raise
    return live, agent


def _arguments(folder: Path, up: tuple[Any, ...]) -> Namespace:
    """Those of ``molokini up`` that the tests have, as its command reads them."""
    parser = ArgumentParser()
    for name in ("--nodes", "--processors"):
        parser.add_argument(name, type=int)
    parser.add_argument("--procs-per-node", "--processors-per-node", type=int)
    parser.add_argument("--mode", default="emulate")
    for name in ("--clock", "--policy", "--maui-config", "--slurm-conf", "--prolog", "--epilog", "--config"):
        parser.add_argument(name)
    for name in ("--grace", "--hook-limit", "--kill-limit"):
        parser.add_argument(name, type=float)
    given = parser.parse_args([str(word) for word in up])
    more = {"set": (), "listen": None, "clusters": None}
    more |= {"slurm_accounts": ()}
    return Namespace(**vars(given), state=folder / "molokini-state", **more)
