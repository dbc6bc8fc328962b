"""The files of a configuration: its own, and those that it includes, as one run of lines."""

from collections.abc import Callable, Iterator
from pathlib import Path

from molokini.model.errors import BadFile
from molokini.slurm.grammar import Line, included, joined, pairs

_DEEPEST = 20
_LARGEST_BYTES = 64 << 20
Opened = Callable[[str], str]
"""The text of a file by its name; raises BadFile."""


def text_of(path: str) -> str:
    """The text of the file *path*. Raises BadFile."""
    try:
        if Path(path).stat().st_size > _LARGEST_BYTES:
            raise BadFile(path, f"is larger than {_LARGEST_BYTES:,} bytes: that is no configuration")
        raw = Path(path).read_bytes()
    except OSError as error:
        raise BadFile(path, error.strerror or str(error)) from None
    if b"\0" in raw:
        raise BadFile(path, "is not UTF-8 text; save it as UTF-8")
    return raw.decode("utf-8-sig", "replace")


def lines_of(path: str, opened: Opened = text_of, text: str | None = None) -> Iterator[Line | BadFile]:
    """The lines of *path* (whose *text* may be given) and of what it includes, in their order.

    What cannot be included comes as the error that says so.
    """
    whole = opened(path) if text is None else text
    cluster = _cluster(path, whole)
    yield from _lines(path, whole, str(Path(path).parent), cluster, opened, [path])


def _lines(
    path: str, text: str, folder: str, cluster: str, opened: Opened, open_files: list[str]
) -> Iterator[Line | BadFile]:
    for line in joined(path, text):
        name = included(line.text)
        if name is None:
            yield line
            continue
        inner = str(Path(folder, name.replace("%c", cluster)))
        if inner in open_files or len(open_files) > _DEEPEST:
            yield BadFile(path, f"Include {name}: it includes itself", line.line)
            continue
        try:
            found = opened(inner)
        except BadFile as error:
            yield BadFile(path, f"Include {name}: {error.cause}", line.line)
            continue
        yield from _lines(inner, found, folder, cluster, opened, [*open_files, inner])


def _cluster(path: str, text: str) -> str:
    """ClusterName, for ``%c`` in the names of included files."""
    for line in joined(path, text):
        if line.text.lower().startswith("clustername") and "=" in line.text:
            return next((one.value for one in pairs(line) if one.key.lower() == "clustername"), "")
    return ""
