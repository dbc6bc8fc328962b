"""Writers in processes of their own, that tests start, pause, kill and listen to."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from molokini.model.codec import Entry
from molokini.server.journal.port import Journal
from tests.kit.waiting import DEADLINE_S
from tests.server.journal.lines import all_of, lines
from tests.server.journal.writer import MOST

ROOT = Path(__file__).parents[3]
_PATH = os.pathsep.join(str(ROOT / one) for one in ("", "core", "proto", "server"))


class Writer:
    """A running ``tests.server.journal.writer``; killed at the latest when its block ends."""

    def __init__(
        self, url: str, seed: int = 0, step: int = 0, environment: Mapping[str, str] | None = None
    ) -> None:
        self.lines: list[str] = []
        """What it has said so far."""
        self._rest = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.server.journal.writer", url, str(seed), str(step)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": _PATH, **(environment or {})},
            cwd=ROOT,
        )

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def acknowledged(self) -> int:
        """The last serial that it said to be durable."""
        return max((int(one) for one in self.lines if one.isdecimal()), default=0)

    @property
    def durable(self) -> int:
        """The last serial that it said to be durable, of its own or found when it opened the journal."""
        found = (int(one.split()[2]) for one in self.lines if one.startswith("open "))
        return max(self.acknowledged, *found, 0)

    @property
    def failures(self) -> list[str]:
        return [one.removeprefix("failed ") for one in self.lines if one.startswith("failed ")]

    def go(self) -> None:
        """Let it take its next step."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def listen(self, until: Callable[["Writer"], bool]) -> None:
        """Read what it says until *until* holds; the end of its output or of our patience is a failure."""
        deadline = time.monotonic() + DEADLINE_S
        while not until(self):
            assert self._hear(deadline - time.monotonic()), (
                f"the writer has ended or is silent: {self.lines[-3:]}"
            )

    def drain(self) -> None:
        """Read what it has already said."""
        while self._hear(0.0):
            pass

    def kill(self) -> None:
        """``kill -9``, and read what it had said before."""
        self.process.kill()
        self.ended()

    def ended(self) -> int:
        """Its exit status, once it has ended; all that it said is read."""
        while self._hear(DEADLINE_S):
            pass
        status = self.process.wait(DEADLINE_S)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        return status

    def _hear(self, patience_s: float) -> bool:
        stream = self.process.stdout
        assert stream is not None
        if stream.closed or not select.select([stream], [], [], max(0.0, patience_s))[0]:
            return False
        said = os.read(stream.fileno(), 1 << 16)
        *whole, self._rest = (self._rest + said).split(b"\n")
        self.lines += [one.decode() for one in whole]
        return bool(said)


async def check(journal: Journal, acknowledged: int) -> list[Entry]:
    """All that *journal* holds, if that is every acknowledged entry and at most one batch beyond."""
    kept = await all_of(journal)
    assert kept == lines(1, len(kept))
    assert acknowledged <= len(kept) <= acknowledged + MOST, (
        f"{acknowledged} were acknowledged, {len(kept)} are kept"
    )
    snapshot = await journal.load_snapshot()
    if snapshot is not None:
        assert snapshot.body == str(snapshot.serial).encode() * 10_000
    return kept
