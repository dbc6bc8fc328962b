"""Lines in order of their instants, however many: sorted in parts on disk, and merged.

The memory holds one part; a file in which they end appears whole or not at all.
"""

import gzip
import heapq
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from operator import itemgetter
from pathlib import Path
from typing import IO, cast

from molokini.model.errors import BadFile
from molokini.workloads.atomic import atomic_path

PART = 50_000
"""Lines that are held at a time."""


class Spool:
    """Takes lines in any order, and gives them back by their instants; equal ones as they came."""

    def __init__(self, target: str | None) -> None:
        """*target*: the file that they are for; parts lie beside it, where there is room for all of it."""
        self._folder = None if target is None else Path(target).resolve().parent
        self._name = target or "standard output"
        self._parts = ExitStack()
        self._files: list[IO[str]] = []
        self._held: list[tuple[float, str]] = []
        self.count = 0

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *_: object) -> None:
        self._parts.close()

    def add(self, at_s: float, line: str) -> None:
        """Take a line. Raises BadFile where the disk is full."""
        self._held.append((at_s, line))
        self.count += 1
        if len(self._held) >= PART:
            self._put_aside()

    def _put_aside(self) -> None:
        self._held.sort(key=itemgetter(0))
        try:
            file = tempfile.TemporaryFile(  # noqa: SIM115
                "w+", dir=self._folder, encoding="utf-8", newline="\n"
            )
            self._parts.enter_context(file)
            file.writelines(f"{at_s!r} {line}\n" for at_s, line in self._held)
            file.flush()
        except OSError as error:
            raise BadFile(self._name, f"cannot be prepared: {error.strerror or error}") from None
        self._files.append(file)
        self._held.clear()

    def lines(self) -> Iterator[str]:
        """All lines in order."""
        self._held.sort(key=itemgetter(0))
        parts: list[Iterable[tuple[float, str]]] = [*map(_read, self._files), self._held]
        for _, line in heapq.merge(*parts, key=itemgetter(0)):
            yield line


def _read(file: IO[str]) -> Iterator[tuple[float, str]]:
    file.seek(0)
    for line in file:
        at_s, _, text = line.removesuffix("\n").partition(" ")
        yield float(at_s), text


def write_lines(target: str | None, head: Iterable[str], lines: Iterable[str]) -> None:
    """Write *head*, then *lines*, to the file *target* (whole or not at all) or to standard output (None).

    A new file is its owner's alone, since the lines tell about users; one that is replaced keeps its mode.
    """
    with _opened(target) as write:
        for line in head:
            write(line + "\n")
        for line in lines:
            write(line + "\n")


@contextmanager
def _opened(target: str | None) -> Iterator[Callable[[str], object]]:
    if target is None:
        yield sys.stdout.write
        return
    with ExitStack() as stack:
        temporary = stack.enter_context(atomic_path(target, private=not Path(target).exists()))
        raw = cast(IO[bytes], stack.enter_context(temporary.open("wb")))
        if target.lower().endswith(".gz"):
            # Without name and time, so that the same lines are the same file.
            raw = cast(IO[bytes], stack.enter_context(gzip.GzipFile("", "wb", 6, raw, 0)))
        stream = TextIOWrapper(raw, encoding="utf-8", newline="\n")
        yield stack.enter_context(stream).write
