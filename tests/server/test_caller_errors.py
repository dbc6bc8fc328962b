"""What callers hear of errors: nothing of where the server keeps its things, whatever the error."""

import errno
import importlib
import logging
import pkgutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

import molokini.cycle.calling
import molokini.model.errors
import molokini.server
from molokini.client.calls import Patience
from molokini.client.errors import ServerError
from molokini.client.specs import job_spec
from molokini.model.errors import BadFile, BadValue, MolokiniError, UnknownName
from molokini.server.caller_errors import INSTEAD, text_for_caller
from molokini.server.journal import port, postgres_troubles, troubles
from molokini.server.security.roles import Role
from molokini.server.security.statuses import CODES, text_of
from tests.kit.serving import served

PATH = Path("/srv/secret-place/journal.sqlite")
URL = "postgresql://clerk@db.secret-place.example:5432/secret-place"
PLACE = f"{PATH}: {URL} could not be had (see ../secret-place/x and ~/secret-place/y)"


def kinds(kind: type[MolokiniError]) -> Iterator[type[MolokiniError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


def of_the_server() -> list[type[MolokiniError]]:
    """Every error that a part of the server, or of what it stands on, defines."""
    for found in pkgutil.walk_packages(molokini.server.__path__, "molokini.server."):
        importlib.import_module(found.name)
    every = set(kinds(MolokiniError))
    return sorted(
        (
            one
            for one in every
            if one.__module__.startswith(("molokini.server", "molokini.model", "molokini.sch"))
        ),
        key=lambda one: (one.__module__, one.__qualname__),
    )


@pytest.mark.parametrize("kind", of_the_server(), ids=lambda one: f"{one.__module__}.{one.__qualname__}")
def test_no_error_tells_of_the_servers_place(kind: type[MolokiniError]) -> None:
    error = kind.__new__(kind)
    Exception.__init__(error, PLACE)
    assert str(error) == PLACE
    if issubclass(kind, (BadValue, UnknownName)):
        assert text_for_caller(error) == PLACE  # what the caller has sent
    else:
        assert "secret-place" not in text_for_caller(error)
        assert "://" not in text_for_caller(error)
        assert text_for_caller(error)


@pytest.mark.parametrize("kind", [one for one in CODES if issubclass(one, port.JournalError)])
def test_every_status_of_the_journal_has_a_text_of_its_own(kind: type[port.JournalError]) -> None:
    assert kind in INSTEAD


def test_every_error_of_the_port_has_one() -> None:
    assert set(kinds(port.JournalError)) <= set(INSTEAD)


def journal_errors() -> list[port.JournalError]:
    numbers = [errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.ELOOP, errno.EROFS, errno.EIO]
    system = [troubles.of_system(OSError(number, "said", str(PATH)), PATH) for number in numbers]
    names = ["FULL", "IOERR_SHMSIZE", "BUSY", "LOCKED", "READONLY", "CORRUPT", "NOTADB", "IOERR", ""]
    lite = []
    for name in names:
        error = sqlite3.OperationalError(f"{PATH} said")
        if name:
            error.sqlite_errorname = f"SQLITE_{name}"
        try:
            lite.append(troubles.of_sqlite(error, PATH, "append"))
        except OSError:  # there is no such folder, so that its room cannot be asked for
            continue
    base = [
        *(asyncpg.DiskFullError, asyncpg.DataCorruptedError, asyncpg.InvalidCatalogNameError),
        *(asyncpg.DataError, asyncpg.PostgresError, asyncpg.InterfaceError),
    ]
    gres = [postgres_troubles.of_postgres(one(URL), URL, "append") for one in base]
    return [*system, *lite, *gres, postgres_troubles.busy(URL, OSError(PATH)), troubles.full(PATH)]


@pytest.mark.parametrize("error", journal_errors(), ids=lambda one: f"{type(one).__name__}: {one}"[:60])
def test_what_disks_and_databases_report_is_in_the_log_alone(
    error: port.JournalError, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        texts = {text_for_caller(error), text_of(error), text_for_caller(error)}
    [text] = texts  # with one number, however often it is told
    assert "secret-place" not in text
    number = text.partition("(number ")[2].split(" ")[0]
    [record] = caplog.records
    assert number in record.message
    assert str(error) in record.message


def test_a_file_keeps_its_name() -> None:
    error = BadFile("/srv/policies/mine.py", "not Python: invalid syntax (see /srv/x.py)", 3)
    assert text_for_caller(error) == "mine.py:3: not Python: invalid syntax (see x.py)"
    assert (
        text_for_caller(MolokiniError("either/or, 1 / 2 and a//b stay")) == "either/or, 1 / 2 and a//b stay"
    )


@pytest.mark.parametrize("kind", [port.StateFull, port.Busy])
async def test_callers_of_a_server_whose_disk_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[port.JournalError]
) -> None:
    async with served(tmp_path) as one, one.client("root", Role.ADMINISTRATOR) as root:
        jobs = [await root.submit(estimate_s=100, held=True) for _ in range(2)]

        async def fails(entries: object) -> None:
            raise kind(PLACE)

        async def texts() -> list[str]:
            found = []
            for call in (
                root.submit(estimate_s=100),
                root.submit_many([job_spec({"estimate_s": 100.0})] * 2),
                root.cancel(jobs[:1]),
                root.drain(["n1"]),
                root.set_policy("fcfs"),
            ):
                with pytest.raises(ServerError) as refused:
                    await call
                found.append(str(refused.value))
            return [*found, *await root.cancel(jobs)]

        root._caller.patience = Patience(timeout_s=3.0, attempt_s=3.0, connect_s=3.0)
        with monkeypatch.context() as patched:
            patched.setattr(one.core.journal, "append", fails)
            found = await texts()
        for text in found:
            assert "secret-place" not in text
            assert "nothing was changed (number " in text


def test_what_was_sent_is_repeated_shortly() -> None:
    long = "x" * 3000
    for error in (
        BadValue("f", long, "short"),
        BadValue(long, 1, "short"),
        BadValue("f", [long] * 9, "short"),
    ):
        assert len(str(error)) < 200
    assert len(str(UnknownName("queue", long, ["night"]))) < 200
    assert str(BadValue("f", "x" * 78, "short")).startswith("f: '" + "x" * 78 + "' is")
    assert str(BadValue("f", "x" * 79, "short")).startswith("f: '" + "x" * 76 + "... is")
