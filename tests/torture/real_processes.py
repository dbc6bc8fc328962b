"""Servers and agents in processes of their own, that a run starts, pauses, kills and listens to."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.kit.waiting import DEADLINE_S

ROOT = Path(__file__).parents[2]
_FOLDERS = ("", "core", "maui", "experiments", "proto", "server", "agents", "clients", "app")
ROOTS = os.pathsep.join(str(ROOT / one) for one in _FOLDERS)


class DidNotStart(Exception):
    """The process has ended, or said nothing, instead of its ready line; the text is the end of its log."""

    def __init__(self, status: int | None, said: str) -> None:
        self.status, self.said = status, said
        super().__init__(f"status {status}: {said[-2000:]}")

    def refusal(self) -> str:
        """The one line in which it said why; raises this where it did not refuse but fail."""
        if self.status != 1 or "Traceback" in self.said[-2000:]:
            raise self
        return self.said.strip().splitlines()[-1]


class Process:
    """One started process; its words go to *log*."""

    def __init__(self, running: asyncio.subprocess.Process, log: Path, ready: str) -> None:
        self.running, self.log, self.ready = running, log, ready

    @classmethod
    async def start(
        cls,
        arguments: Sequence[object],
        log: Path,
        environment: Mapping[str, str] | None = None,
        inside: Sequence[str] = (),
    ) -> "Process":
        """Start ``molokini`` with *arguments* and wait for its ready line; DidNotStart where none comes.

        *inside* stands before the command: it runs the rest, itself, somewhere else.
        """
        process = await cls.begin(arguments, log, environment, inside)
        await process.until_ready()
        return process

    @classmethod
    async def begin(
        cls,
        arguments: Sequence[object],
        log: Path,
        environment: Mapping[str, str] | None = None,
        inside: Sequence[str] = (),
    ) -> "Process":
        """Start it and wait for nothing."""
        with log.open("ab") as words:
            running = await asyncio.create_subprocess_exec(
                *inside,
                sys.executable,
                "-m",
                "molokini.clients.command",
                *map(str, arguments),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=words,
                cwd=log.parent,
                env={**os.environ, "PYTHONPATH": ROOTS, "PYTHONUNBUFFERED": "1", **(environment or {})},
            )
        return cls(running, log, "")

    async def until_ready(self, within_s: float = DEADLINE_S) -> None:
        assert self.running.stdout is not None
        line = b""
        with contextlib.suppress(TimeoutError):
            line = await asyncio.wait_for(self.running.stdout.readline(), within_s)
        if not line:
            status = await self.kill() if self.running.returncode is None else self.running.returncode
            raise DidNotStart(status, self.log.read_text(errors="replace"))
        self.ready = line.decode().strip()

    @property
    def alive(self) -> bool:
        return self.running.returncode is None

    def signal(self, number: int) -> None:
        if self.alive:
            # Not by ``send_signal``: it looks whether the child has ended, and takes its status from asyncio.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.running.pid, number)

    def pause(self) -> None:
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    async def kill(self) -> int:
        """``kill -9``; the status."""
        self.signal(signal.SIGKILL)
        return await self.ended()

    async def stop(self, within_s: float = DEADLINE_S) -> int:
        """SIGTERM; the status, and an error where it does not end in time."""
        self.signal(signal.SIGTERM)
        return await self.ended(within_s)

    async def ended(self, within_s: float = DEADLINE_S) -> int:
        try:
            return await asyncio.wait_for(self.running.wait(), within_s)
        except TimeoutError:
            self.signal(signal.SIGKILL)
            await self.running.wait()
            raise AssertionError(f"{self.log} shows a process that did not end in {within_s:g} s") from None

    async def paused_for(self, seconds: float) -> None:
        """SIGSTOP, so many seconds, SIGCONT; the kernel has stopped it when the seconds begin."""
        self.pause()
        end_s = time.monotonic() + 5
        stat = Path(f"/proc/{self.running.pid}/stat")
        while stat.read_text().rpartition(")")[2].split()[0] != "T" and time.monotonic() < end_s:
            await asyncio.sleep(0.001)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.resume()
