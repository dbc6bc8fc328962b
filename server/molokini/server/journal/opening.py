"""From what a configuration says to an open journal."""

from pathlib import Path

from molokini.model.errors import BadValue, MissingExtra
from molokini.server.journal.port import Journal
from molokini.server.journal.sqlite import SqliteJournal

_POSTGRES = ("postgresql", "postgres")


async def open_journal(url_or_path: str, new: bool, *, take_over: bool = False) -> Journal:
    """The journal in a folder (SQLite) or at ``postgresql://USER@HOST/DATABASE``, open for writing.

    *new* allows that it begins empty where there is none; it never empties one. *take_over* claims it from a
    holder that still lives. Raises an error of the port, BadValue for an address of no known kind, or
    MissingExtra.
    """
    scheme, separator, _ = url_or_path.partition("://")
    if not separator:
        if not url_or_path.strip() or "\0" in url_or_path:
            raise BadValue("journal", url_or_path, "a folder or a postgresql:// address")
        return await SqliteJournal.open(Path(url_or_path), new=new, take_over=take_over)
    if scheme not in _POSTGRES:
        raise BadValue("journal", f"{scheme}://...", "a folder or a postgresql:// address")
    try:
        from molokini.server.journal.postgres import PostgresJournal
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise
        raise MissingExtra("asyncpg", "postgres", "a journal in PostgreSQL") from None
    return await PostgresJournal.open(url_or_path, new=new, take_over=take_over)
