"""What PostgreSQL and the way to it report, sorted by what can be done, and as the errors of the port."""

from urllib.parse import parse_qs, urlsplit

import asyncpg

from molokini.server.journal.port import (
    Busy,
    JournalError,
    StateBroken,
    StateDamaged,
    StateFull,
)

LOST = (
    OSError,
    asyncpg.InterfaceError,
    # Its protocol has come out of step: a back end that was ended between two of our statements does that.
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.TooManyConnectionsError,
    asyncpg.ReadOnlySQLTransactionError,
)
"""The connection is useless, and whether the last statement was carried out is unknown: reconnect."""

AGAIN = (asyncpg.TransactionRollbackError, asyncpg.LockNotAvailableError, asyncpg.OutOfMemoryError)
"""The statement was undone for the sake of others; the same again is right."""

REFUSED = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientPrivilegeError,
    asyncpg.ClientConfigurationError,
)
"""The database does not let us in."""


def place_of(url: str) -> str:
    """The address without what must not be shown: no password, no options."""
    parts = urlsplit(url)
    user = f"{parts.username}@" if parts.username else ""
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    host = parts.hostname or parse_qs(parts.query).get("host", [""])[0]
    return f"{parts.scheme}://{user}{host}{port}{parts.path}"


def busy(place: str, cause: BaseException | None) -> Busy:
    """The database cannot be reached within ``PATIENCE_S``; *cause* was its last error."""
    heard = f"{type(cause).__name__}: {cause}".rstrip(": ") if cause is not None else "no answer in time"
    return Busy(f"{place} cannot be reached just now ({heard})")


def of_postgres(
    error: asyncpg.PostgresError | asyncpg.InterfaceError, place: str, doing: str
) -> JournalError:
    """The error of the port for one of the database that is neither lost nor to be tried again."""
    said = f"{place}: {doing}: {error}"
    if isinstance(error, asyncpg.DiskFullError):
        return StateFull(f"{place}: a file system of the database is full: {error}")
    if isinstance(error, (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)):
        return StateDamaged(said)
    if isinstance(error, (*REFUSED, asyncpg.DataError)):
        return JournalError(said)
    return StateBroken(said)
