"""A key of the code that made rows, so that those of other code are not taken for them."""

import hashlib
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from molokini.model.errors import MolokiniError


def code_key(sources: Sequence[str]) -> str:
    """The key of the source text of these modules and packages; 16 hexadecimal digits.

    Whatever changes a row is in it, and some things that do not: a new comment is new code.
    """
    digest = hashlib.sha256()
    for source in sorted(set(sources)):
        for name, path in _files(source):
            text = path.read_bytes()
            digest.update(f"{source}:{name}:{len(text)}\n".encode())
            digest.update(text)
    return digest.hexdigest()[:16]


def _files(source: str) -> Iterator[tuple[str, Path]]:
    """The files of a module or package, by names that depend on no machine, in their order."""
    found = find_spec(source)
    if found is None:
        raise MolokiniError(f"rows depend on {source}, which is not there")
    if found.submodule_search_locations is None:
        assert found.origin is not None
        yield "", Path(found.origin)
        return
    for folder in map(Path, found.submodule_search_locations):
        for path in sorted(folder.rglob("*.py")):
            yield path.relative_to(folder).as_posix(), path
