"""Places for a journal: each test that asks for one runs in a folder and in PostgreSQL."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from molokini.server.journal.opening import open_journal
from molokini.server.journal.port import Journal
from tests.kit.postgres import Postgres, postgres, schema_for

__all__ = ["place", "postgres"]

KINDS = ("sqlite", "postgres")


@dataclass(frozen=True)
class Place:
    """Where a journal can be; nothing is there yet."""

    url: str
    another: Callable[[], "Place"]

    async def open(self, *, new: bool = True, take_over: bool = False) -> Journal:
        return await open_journal(self.url, new, take_over=take_over)


def in_folders(parent: Path) -> Place:
    """A folder below *parent* that does not exist, and more of them."""
    number = len(list(parent.iterdir()))
    (parent / f"taken-{number}").touch()
    return Place(str(parent / f"state-{number}"), lambda: in_folders(parent))


def in_schemas(server: Postgres, test: str) -> Place:
    """An empty schema of *server*, and more of them."""
    return Place(schema_for(server, test), lambda: in_schemas(server, test))


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return in_folders(tmp_path)
    return in_schemas(cast(Postgres, request.getfixturevalue("postgres")), request.node.name)
