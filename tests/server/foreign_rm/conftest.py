"""Servers whose journals are in memory: what is tested here is not the disk, which takes most of the time."""

import pytest

from molokini.app import serving
from tests.kit.live import MemoryJournal


@pytest.fixture(autouse=True)
def journals_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    async def opened(place: str, new: bool) -> MemoryJournal:
        return MemoryJournal()

    monkeypatch.setattr(serving, "open_journal", opened)
