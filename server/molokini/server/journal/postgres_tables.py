"""The tables of a journal in PostgreSQL, and every statement that touches them.

They stand in the first schema of the connection's search path, so several states can share a database.
"""

from collections.abc import Sequence

from molokini.server.journal.finished import COLUMNS, PAGE_BYTES, RUN_COLUMNS, condition
from molokini.server.journal.port import Which

MAKE = """
CREATE TABLE molokini_entries (
    serial bigint PRIMARY KEY, time_s float8 NOT NULL, kind text NOT NULL, version integer NOT NULL,
    body text NOT NULL, crc bigint NOT NULL);
CREATE TABLE molokini_holder (
    one integer PRIMARY KEY CHECK (one = 1), epoch bigint NOT NULL, name text NOT NULL,
    format integer NOT NULL);
CREATE TABLE molokini_snapshots (
    serial bigint PRIMARY KEY, parts integer NOT NULL, size_bytes bigint NOT NULL, crc bigint NOT NULL);
CREATE TABLE molokini_snapshot_parts (
    serial bigint NOT NULL, part integer NOT NULL, body bytea NOT NULL, PRIMARY KEY (serial, part));
INSERT INTO molokini_holder VALUES (1, 0, '', {format});
"""

HISTORY = """
CREATE TABLE IF NOT EXISTS molokini_finished (
    number bigint PRIMARY KEY, user_name text NOT NULL, queue text NOT NULL, name text NOT NULL,
    version integer NOT NULL, body text NOT NULL, crc bigint NOT NULL);
CREATE INDEX IF NOT EXISTS molokini_finished_of_user ON molokini_finished (user_name, number);
CREATE TABLE IF NOT EXISTS molokini_finished_runs (
    number bigint NOT NULL, last_index bigint NOT NULL, version integer NOT NULL, body text NOT NULL,
    crc bigint NOT NULL, PRIMARY KEY (number, last_index));
"""
"""Beside the journal: finished jobs, for callers that ask for them."""

PREPARE = """
SELECT set_config('search_path', quote_ident(current_schema()), false);
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
"""
"""One schema alone, and a commit that is on disk when it is answered."""

SETTINGS = "SELECT current_schema() AS schema, current_setting('fsync') AS fsync"
TABLES = """
SELECT count(to_regclass(name)) FROM unnest(
    ARRAY['molokini_entries', 'molokini_holder', 'molokini_snapshots', 'molokini_snapshot_parts']) AS name
"""

_KEY = "hashtextextended('molokini journal ' || current_schema(), 0)"
LOCK = f"SELECT pg_advisory_lock({_KEY})"
CLAIM_PATIENCE = "SET lock_timeout = '2s'"
"""The back end of a server that was killed is gone in milliseconds, or when its last commit is done."""
LOCK_HOLDERS = f"""
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = {_KEY}
"""
END_HOLDERS = f"SELECT pg_terminate_backend(pid) FROM ({LOCK_HOLDERS}) AS holders"
END_NAMESAKES = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()
"""
"""Our own earlier connections: one may still be at work on what we have given up."""

HOLDER = "SELECT epoch, name, format FROM molokini_holder"
RAISE = "UPDATE molokini_holder SET epoch = epoch + 1, name = $1 RETURNING epoch"
OURS = "SELECT 1 FROM molokini_holder WHERE epoch = $1 FOR SHARE"
"""A row only while the epoch is ours, which it then stays until the transaction ends."""

_COLUMNS = "serial, time_s, kind, version, body, crc"
APPEND = f"""
WITH ours AS ({OURS})
INSERT INTO molokini_entries ({_COLUMNS})
SELECT * FROM unnest($2::bigint[], $3::float8[], $4::text[], $5::integer[], $6::text[], $7::bigint[])
WHERE EXISTS (SELECT FROM ours)
"""
"""Guard and batch in one statement: one way there and back, one transaction, one sync."""

LAST = f"SELECT {_COLUMNS} FROM molokini_entries ORDER BY serial DESC LIMIT 1"
LAST_SERIAL = "SELECT coalesce(max(serial), 0) FROM molokini_entries"
BEYOND = f"SELECT {_COLUMNS} FROM molokini_entries WHERE serial > $1 ORDER BY serial"
CUT = "DELETE FROM molokini_entries WHERE serial > $1"
PAGE = f"""
SELECT {_COLUMNS} FROM molokini_entries WHERE serial > $1 AND serial <= $2 ORDER BY serial LIMIT $3
"""

KEEP_FINISHED = f"""
INSERT INTO molokini_finished ({COLUMNS})
SELECT * FROM unnest(
    $1::bigint[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::bigint[])
ON CONFLICT (number) DO UPDATE SET user_name = excluded.user_name, queue = excluded.queue,
    name = excluded.name, version = excluded.version, body = excluded.body, crc = excluded.crc
"""
KEEP_RUNS = f"""
INSERT INTO molokini_finished_runs ({RUN_COLUMNS})
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[], $5::bigint[])
ON CONFLICT (number, last_index) DO UPDATE
    SET version = excluded.version, body = excluded.body, crc = excluded.crc
"""
CLEAR_FINISHED = "TRUNCATE molokini_finished, molokini_finished_runs"
READ_RUNS = f"""
SELECT {RUN_COLUMNS} FROM molokini_finished_runs
WHERE number = $1 AND last_index >= $2 ORDER BY last_index LIMIT 1
"""


def read_finished(which: Which, after: int, most: int) -> tuple[str, list[object]]:
    """The query for records of finished jobs, and its values."""
    values: list[object] = [after, most, PAGE_BYTES]

    def is_one_of(column: str, wanted: Sequence[object]) -> str:
        values.append(list(wanted))
        return f"{column} = ANY(${len(values)})"

    where = f"number > $1{condition(which, is_one_of)}"
    # The sum is that of the lines before, so the first is always among what is found.
    sized = "SELECT *, sum(octet_length(body)) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) AS size"
    found = f"{sized} FROM molokini_finished WHERE {where} ORDER BY number LIMIT $2"
    return f"SELECT {COLUMNS} FROM ({found}) found WHERE size - octet_length(body) <= $3", values


HEADS = "SELECT serial, parts, size_bytes, crc FROM molokini_snapshots ORDER BY serial DESC"
PARTS = "SELECT body FROM molokini_snapshot_parts WHERE serial = $1 ORDER BY part"
NEWEST_HEAD = "SELECT coalesce(max(serial), 0) FROM molokini_snapshots"
KEEP_PART = """
INSERT INTO molokini_snapshot_parts VALUES ($1, $2, $3)
ON CONFLICT (serial, part) DO UPDATE SET body = excluded.body
"""
KEEP_HEAD = """
INSERT INTO molokini_snapshots VALUES ($1, $2, $3, $4)
ON CONFLICT (serial) DO UPDATE
    SET parts = excluded.parts, size_bytes = excluded.size_bytes, crc = excluded.crc
"""
DROP_HEAD = "DELETE FROM molokini_snapshots WHERE serial = $1"
DROP_OLD_HEADS = """
DELETE FROM molokini_snapshots
WHERE serial NOT IN (SELECT serial FROM molokini_snapshots ORDER BY serial DESC LIMIT 2)
"""
DROP_LOOSE_PARTS = """
DELETE FROM molokini_snapshot_parts WHERE serial NOT IN (SELECT serial FROM molokini_snapshots)
"""
