"""File descriptors: the log says when they are scarce, when none is left, and when all is well again."""

import logging
import os
import resource
from collections.abc import Iterator

import pytest

from molokini.server import descriptors
from molokini.server.descriptors import MOST, Descriptors, ask_for_many


@pytest.fixture
def limit() -> Iterator[int]:
    """A limit with some room, and the old one afterwards."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    chosen = 2 * max(map(int, os.listdir("/proc/self/fd"))) + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (chosen, before[1]))
    yield chosen
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def taken_until(share: float, limit: int) -> list[int]:
    """Take descriptors until *share* of *limit* is used."""
    mine: list[int] = []
    while len(os.listdir("/proc/self/fd")) < share * limit:
        mine.append(os.open("/dev/null", os.O_RDONLY))
    return mine


def test_scarce_none_left_and_well_again(limit: int, caplog: pytest.LogCaptureFixture) -> None:
    def said() -> list[tuple[str, str]]:
        found = [(one.levelname, one.getMessage()) for one in caplog.records]
        caplog.clear()
        return found

    caplog.set_level(logging.INFO, descriptors.log.name)
    watch = Descriptors()
    watch.look()
    assert said() == []
    mine = taken_until(0.95, limit)
    try:
        for _ in range(3):
            watch.look()
        [(level, text)] = said()
        assert level == "WARNING"
        assert f"of {limit} are used; raise the limit (ulimit -n, LimitNOFILE)" in text
        with pytest.raises(OSError, match="Too many open files"):
            mine.extend(os.open("/dev/null", os.O_RDONLY) for _ in range(limit))
        # What the generator had opened stays open: none is left.
        for _ in range(3):
            watch.look()
        [(level, text)] = said()
        assert level == "ERROR"
        assert text.startswith(f"file descriptors: all {limit} are used, so no new caller can connect; raise")
    finally:
        for one in mine:
            os.close(one)
    watch.look()
    [(level, text)] = said()
    assert level == "WARNING"
    assert "file descriptor use is back to normal" in text
    watch.look()
    assert said() == []


@pytest.mark.parametrize(("used", "told"), [(79, 0), (80, 0), (89, 0), (90, 1), (99, 1), (100, 1), (110, 1)])
def test_at_the_limits(used: int, told: int, caplog: pytest.LogCaptureFixture) -> None:
    watch = Descriptors()
    watch._tell(used, 100)
    assert len(caplog.records) == told
    watch._tell(80, 100)
    assert len(caplog.records) == told
    watch._tell(79, 100)
    assert len(caplog.records) == 2 * told


@pytest.mark.parametrize(
    ("soft", "hard", "asked"),
    [
        (256, 4096, 4096),
        (256, 256, None),
        (1024, 2**30, MOST),
        (1024, resource.RLIM_INFINITY, MOST),
        (2**20, 2**20, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_as_many_as_may_be_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, asked: int | None
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: given.append(wanted))
    assert ask_for_many() == (asked or soft)
    assert given == ([(asked, hard)] if asked else [])
