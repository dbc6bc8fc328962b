"""The text of configuration files, with what they include: whole, bounded, never a pipe."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from molokini.maui.grammar import BadLine, included
from molokini.model.errors import BadFile

MOST_BYTES = 4 * 2**20
"""Of a configuration with all that it includes; a larger file is some other file."""

MOST_INCLUDES = 100
"""Files that a configuration may include, and how deep."""


@dataclass
class Sources:
    """Reads a file and those that it includes; ``troubles`` are the includes that could not be followed."""

    troubles: list[BadFile] = field(default_factory=list)
    _bytes: int = 0
    _files: int = 0

    def lines(self, path: str | Path) -> Iterator[tuple[str, int, str]]:
        """File, number and text of each line of *path*, what is included in its place. Raises BadFile."""
        yield from self._lines(str(path), self.text(path), (os.path.realpath(path),))

    def text(self, path: str | Path) -> str:
        """The text of *path* alone. Raises BadFile."""
        name = str(path)
        try:
            with open(path, "rb", opener=_open) as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    raise BadFile(name, "not a file")
                body = stream.read(MOST_BYTES + 1 - self._bytes)
        except OSError as error:
            raise BadFile(name, error.strerror or str(error)) from error
        except ValueError as error:  # a name with a zero byte
            raise BadFile(name, str(error)) from error
        self._bytes += len(body)
        if self._bytes > MOST_BYTES:
            raise BadFile(name, f"larger than {MOST_BYTES // 2**20} MiB, the limit for a configuration")
        try:
            return body.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadFile(name, "not UTF-8 text", body.count(b"\n", 0, error.start) + 1) from error

    def _lines(self, name: str, text: str, above: tuple[str, ...]) -> Iterator[tuple[str, int, str]]:
        for number, line in enumerate(text.split("\n"), 1):
            try:
                target = included(line.rstrip())
            except BadLine as error:
                self.troubles.append(BadFile(name, f"#INCLUDE: {error}", number))
                continue
            if target is None:
                yield name, number, line
                continue
            try:
                yield from self._included(name, target, above)
            except BadFile as error:
                self.troubles.append(BadFile(name, f"#INCLUDE: {error}", number))

    def _included(self, name: str, target: str, above: tuple[str, ...]) -> Iterator[tuple[str, int, str]]:
        if not target:
            raise BadFile(name, "no file is named")
        path = os.path.join(os.path.dirname(name), target)
        real = os.path.realpath(path)
        if real in above:
            files = [os.path.basename(one) for one in (*above[above.index(real) :], real)]
            raise BadFile(path, f"circular include: {', '.join(files)}")
        self._files += 1
        if self._files > MOST_INCLUDES:
            raise BadFile(path, f"more than {MOST_INCLUDES} files are included")
        yield from self._lines(path, self.text(path), (*above, real))


def _open(path: str, flags: int) -> int:
    # A pipe without a writer must not keep us waiting.
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
