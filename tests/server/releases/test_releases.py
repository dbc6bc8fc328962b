"""The journal of every release opens, and says what it said then."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from molokini.model.codec import KINDS, decode
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.journal.sqlite_file import DATABASE_FILE
from molokini.server.server import Server, Settings, recovered
from molokini.server.turn.checks import Limits
from molokini.server.turn.submitting import Submit
from tests.kit.live import spec_of
from tests.kit.live_picture import assert_sound
from tests.server.releases.kept import Kept, after, differences
from tests.server.releases.life import JOURNALS, lived
from tests.server.releases.portrait import missing, portrait

RELEASES = sorted(path.stem for path in JOURNALS.glob("*.sqlite"))


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(release: str, tmp_path: Path) -> Path:
    shutil.copy(JOURNALS / f"{release}.sqlite", tmp_path / DATABASE_FILE)
    return tmp_path


def test_of_every_release_journal_and_portrait_are_kept() -> None:
    assert RELEASES[0] == "0.1"
    assert sorted(Kept(JOURNALS).releases()) == RELEASES


@pytest.mark.quick(one_in=5)
async def test_it_says_what_it_said_then(release: str, folder: Path) -> None:
    kept = Kept(JOURNALS).read(release)
    journal = await SqliteJournal.open(folder, new=False)
    try:
        state = await recovered(journal)
    finally:
        await journal.close()
    assert_sound(state)
    # Through JSON, as the kept one went: what is compared is what was written.
    assert missing(kept, json.loads(json.dumps(portrait(state)))) == []


@pytest.mark.quick(one_in=3)
async def test_a_server_goes_on_from_it(folder: Path) -> None:
    journal = await SqliteJournal.open(folder, new=False)
    core = await Server.open(journal, Settings(clock=None))
    assert core.state.epoch == journal.epoch
    [number] = await started(core, Submit("new", [spec_of()], Limits()))
    assert core.state.jobs[number].user == "new"
    assert number == max(core.state.jobs)
    assert_sound(core.state)
    await core.stop()


async def started(core: Server, command: Submit) -> list[int]:
    """The answer of *command* by a server that has just begun."""
    core.start()
    answer: list[int] = await core.reactor.post(command)
    return answer


def test_every_kind_and_every_version_that_is_no_longer_written_occurs() -> None:
    found: set[tuple[str, int]] = set()
    for name in RELEASES:
        with sqlite3.connect(f"file:{JOURNALS / name}.sqlite?mode=ro&immutable=1", uri=True) as connection:
            found |= set(connection.execute("SELECT DISTINCT kind, version FROM entries"))
        connection.close()
    assert {kind for kind, _ in found} == set(KINDS), "write the journal of this release (life.py)"
    older = {(kind.__name__, v) for kind in KINDS.values() for v in range(1, kind.VERSION)}
    assert older <= found


@pytest.mark.dear("a whole life of a server is written down")
async def test_the_life_that_is_written_down_for_a_release_has_every_kind(tmp_path: Path) -> None:
    entries = await lived(tmp_path)
    assert {type(decode(entry)).__name__ for entry in entries} == set(KINDS)


def test_another_word_is_seen_and_one_more_is_not() -> None:
    assert missing({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}) == []
    assert missing({"a": {"b": 1}}, {"a": {"b": 2}}) == ["/a/b: 2, was 1"]
    assert missing({"a": {"b": 1}}, {"a": {}}) == ["/a/b: gone"]


@pytest.mark.deep
def test_portraits_are_kept_as_what_differs_and_read_in_full(tmp_path: Path) -> None:
    releases = Kept(JOURNALS).releases()
    whole = {release: Kept(JOURNALS).read(release) for release in releases}
    copies = Kept(tmp_path)
    for release in releases:
        copies.keep(release, whole[release])
    assert copies.releases() == releases
    assert {release: copies.read(release) for release in releases} == whole
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in JOURNALS.glob("*.json")}
    assert whole["0.10"] == whole["0.11"] != whole["0.12"]
    for old in whole.values():
        for new in whole.values():
            assert after(old, differences(old, new)) == new
