"""The commands of a flavour as a shell runs them, against a server in a process of its own."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from molokini.clients.live.shim_files import write_shims
from molokini.flavours.table import commands
from tests.torture.processes import Process

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
    """A server at work, with the commands of some flavours in a folder."""

    def __init__(self, folder: Path, server: Process, bin_folder: Path) -> None:
        self.folder, self.server, self.bin = folder, server, bin_folder

    def environment(self, **more: str) -> dict[str, str]:
        """Our own, with the commands first on the path, and without what would name another server."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        return {**inherited, "PATH": f"{self.bin}:{inherited['PATH']}", **more}

    async def ran(
        self, command: str, *words: object, given: str = "", folder: Path | None = None, **variables: str
    ) -> Ran:
        """Run *command* (of a flavour, or any on the path) in *folder*, with *given* on standard input."""
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
        from tests.clients.running import command, environment

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
async def flavoured(folder: Path, *flavours: str, up: tuple[Any, ...] = ()) -> AsyncIterator[Cluster]:
    """``molokini up`` with the arguments *up* (nodes are emulated unless they say else), and the commands."""
    known = commands()
    bin_folder = folder / "bin"
    write_shims(bin_folder, {name: known[name] for name in flavours}, str(folder / "molokini-state"))
    server = await Process.start(("up", *up), folder / "log")
    try:
        yield Cluster(folder, server, bin_folder)
        assert await server.stop() == 0
    finally:
        if server.alive:
            await server.kill()
