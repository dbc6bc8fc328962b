"""Workloads as tables, CSV and Parquet: one row a job, one column a field of SWF by its name.

A schedule that a replay has written is a workload, too, and users, groups and queues may have names
(``columns``). Columns may stand in any order and be left out where all is unknown; number, submit time,
run time and a processor count are needed. The SWF header travels along, so that nothing is lost on the way
there and back: in CSV as comment lines (``#``) above the names, in Parquet as metadata of the schema.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadFile, BadValue, MissingExtra
from molokini.workloads.atomic import atomic_path
from molokini.workloads.blocks import blocks
from molokini.workloads.columns import NAMED, check_names, field_of, workload_of
from molokini.workloads.header import decode_line, parse_header
from molokini.workloads.records import HEADER_BYTES, Fault, read_lines
from molokini.workloads.rules import COUNTED_FIELDS, to_workload
from molokini.workloads.swf import header_lines, open_output, text_rows
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

Columns = Mapping[str, NDArray[np.float64] | NDArray[np.int64]]

MOST_ROWS = 20_000_000
"""The most rows of a Parquet file that are read: a few bytes of a file can claim any number."""

_HEADER_KEY = b"molokini.header"
_TO_BLANKS = bytes.maketrans(b",", b" ")


def read_csv(path: str | Path, *, strict: bool = False, limit: int | None = None) -> Workload:
    """Read a CSV table, plain or gzip; rows are judged as in ``read_swf``.

    Where there are SWF's fields alone, and no names: numbers, not quoted, and a row with an empty cell has a
    field too few: unknown is -1. Of a schedule, or with names, empty cells are unknown.
    """
    path = Path(path)
    stream = blocks(path)
    comments, names, above, rest = _csv_top(path, stream)
    check_names(path, names)
    if not set(names) <= set(SWF_FIELDS) or _holds_names(names, rest):
        return _read_texts(path, names, above, _texts(rest, stream), comments, strict, limit)
    found = read_lines(_unseparated(rest, stream), names, b"#", above)
    records, lines = found.matrix()
    return to_workload(
        path,
        _spread(records, names),
        lines,
        parse_header(comments),
        skipped=found.skipped,
        fault=found.first_fault,
        notes={"comments_not_kept": len(found.header) + found.comments_not_kept},
        strict=strict,
        limit=limit,
    )


def _csv_top(path: Path, stream: Iterator[bytes]) -> tuple[list[str], list[str], int, bytes]:
    """Comment lines, column names, the number of lines so far, and what follows in the block."""
    comments: list[str] = []
    above, size = 0, 0
    for block in stream:
        at = 0
        while at < len(block):
            end = block.index(b"\n", at)
            line = decode_line(block[at:end].rstrip(b"\r"))
            at, above, size = end + 1, above + 1, size + end - at
            if size > HEADER_BYTES:
                raise BadFile(str(path), f"no column names in the first {HEADER_BYTES:,} bytes")
            if line.startswith("#"):
                comments.append(line[1:].removeprefix(" "))
            elif line.strip():
                return comments, [name.strip().strip('"') for name in line.split(",")], above, block[at:]
    raise BadFile(str(path), "the file holds no column names")


def _unseparated(first: bytes, stream: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first.translate(_TO_BLANKS)
    for block in stream:
        yield block.translate(_TO_BLANKS)


def _holds_names(names: Sequence[str], rest: bytes) -> bool:
    """Whether the first row has a text where a name may stand."""
    first = decode_line(rest.partition(b"\n")[0]).split(",")
    cells = dict(zip(names, first, strict=False))
    return any(cells.get(field, "").strip()[:1].isalpha() for field in NAMED)


def _texts(first: bytes, stream: Iterator[bytes]) -> Iterator[str]:
    for block in (first, *stream) if first else stream:
        yield from (decode_line(line) for line in block.splitlines())


def _read_texts(
    path: Path,
    names: Sequence[str],
    above: int,
    texts: Iterator[str],
    comments: Sequence[str],
    strict: bool,
    limit: int | None,
) -> Workload:
    """A table of which some cells are texts, or empty."""
    rows: list[list[str]] = []
    lines: list[int] = []
    skipped, fault = 0, None
    try:
        for line, cells in enumerate(csv.reader(texts), above + 1):
            if not cells or cells[0].startswith("#"):
                continue
            if len(cells) == len(names):
                rows.append(cells)
                lines.append(line)
                continue
            skipped += 1
            cause = f"{len(cells)} cells where there are {len(names)} columns"
            fault = fault or Fault(line, "wrong_field_count", cause)
    except csv.Error as error:
        raise BadFile(str(path), f"is no CSV: {error}") from None
    columns = {name: np.array([row[at] for row in rows], object) for at, name in enumerate(names)}
    return workload_of(
        path,
        columns,
        np.array(lines, np.int64),
        parse_header(comments),
        skipped={"wrong_field_count": skipped} if skipped else {},
        fault=fault,
        strict=strict,
        limit=limit,
    )


def _spread(values: Floats, names: Sequence[str]) -> Floats:
    """The columns at their places among SWF's eighteen; unknown where there is none."""
    if tuple(names) == SWF_FIELDS:
        return values
    records = np.full((len(values), len(SWF_FIELDS)), -1.0)
    records[:, [SWF_FIELDS.index(name) for name in names]] = values
    return records


def read_parquet(path: str | Path, *, strict: bool = False, limit: int | None = None) -> Workload:
    """Read a Parquet table; rows are judged as in ``read_swf``, a null is -1, "lines" are rows."""
    path = Path(path)
    pyarrow, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
            check_names(path, schema.names)
            if rows > MOST_ROWS:
                raise BadFile(str(path), f"holds more than {MOST_ROWS:,} rows; split it")
            cells = {
                field.name: _cells(path, pyarrow, file, field)
                for field in schema
                if field_of(field.name) in SWF_FIELDS or field.name == "start_s"
            }
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error).partition("\n")[0]) from None
    except pyarrow.ArrowException as error:
        raise BadFile(str(path), str(error).partition("\n")[0]) from None
    text = (schema.metadata or {}).get(_HEADER_KEY, b"").decode("utf-8", "replace")
    header = parse_header(text.split("\n") if text else [])
    return workload_of(path, cells, np.arange(1, rows + 1), header, strict=strict, limit=limit)


def _cells(path: Path, pyarrow: Any, file: Any, field: Any) -> NDArray[Any]:
    """A column: numbers, -1 for null; texts where the field may have a name."""
    types = pyarrow.types
    column = file.read(columns=[field.name], use_threads=False).column(0)
    if types.is_integer(field.type) or types.is_floating(field.type):
        numbers: Floats = column.cast(pyarrow.float64(), safe=False).fill_null(-1.0).to_numpy()
        return numbers
    texts = types.is_string(field.type) or types.is_large_string(field.type)
    if texts and (field.name in NAMED or field.name == "status"):
        return np.array(column.to_pylist(), object)
    raise BadFile(str(path), f"column {field.name!r} holds {field.type}, not numbers")


def parquet_columns(path: str | Path, names: Sequence[str]) -> dict[str, Floats] | None:
    """Those columns of numbers called *names* that a Parquet file has, null as NaN.

    None where it has not the first of them. Raises BadFile, MissingExtra.
    """
    pyarrow, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            known = set(file.schema_arrow.names)
            if names[0] not in known:
                return None
            if file.metadata.num_rows > MOST_ROWS:
                raise BadFile(str(path), f"holds more than {MOST_ROWS:,} rows; split it")
            table = file.read(columns=[name for name in names if name in known], use_threads=False)
        return {
            name: table.column(name).cast(pyarrow.float64(), safe=False).fill_null(np.nan).to_numpy().copy()
            for name in table.schema.names
        }
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error).partition("\n")[0]) from None
    except pyarrow.ArrowException as error:
        raise BadFile(str(path), str(error).partition("\n")[0]) from None


def _pyarrow() -> tuple[Any, Any]:
    # Imported here: it costs more than all the rest of the start, and few need it.
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "parquet", "Parquet") from None
    return pyarrow, pyarrow.parquet


def write_table(workload: Workload, path: str | Path) -> None:
    """Write all eighteen fields of each job, with the header, as CSV or Parquet by the ending."""
    columns = {
        name: workload.records[:, column].astype(np.int64)
        if name in COUNTED_FIELDS
        else workload.records[:, column]
        for column, name in enumerate(SWF_FIELDS)
    }
    write_columns(path, columns, header_lines(workload))


def write_columns(path: str | Path, columns: Columns, comments: Sequence[str] = ()) -> None:
    """Write columns of numbers (all equally long) as ``.csv``, ``.csv.gz`` or ``.parquet``.

    Whole or not at all; the same input gives the same bytes. *comments* stand above a CSV's names
    and in a Parquet's metadata.
    """
    name = Path(path).name.lower()
    if name.endswith(".parquet"):
        _write_parquet(path, columns, comments)
    elif name.endswith((".csv", ".csv.gz")):
        _write_csv(path, columns, comments)
    else:
        raise BadValue("ending", Path(path).suffix, "one of .csv, .csv.gz, .parquet")


def _write_csv(path: str | Path, columns: Columns, comments: Sequence[str]) -> None:
    matrix = np.column_stack([np.asarray(column, np.float64) for column in columns.values()])
    with atomic_path(path) as temporary, open_output(temporary) as stream:
        for line in comments:
            for part in line.split("\n"):
                stream.write(f"# {part}\n")
        stream.write(",".join(columns) + "\n")
        for text in text_rows(matrix, ","):
            stream.write(text)


def _write_parquet(path: str | Path, columns: Columns, comments: Sequence[str]) -> None:
    pyarrow, parquet = _pyarrow()
    metadata = {_HEADER_KEY: "\n".join(comments).encode()} if comments else None
    table = pyarrow.table(dict(columns)).replace_schema_metadata(metadata)
    with atomic_path(path) as temporary:
        try:
            parquet.write_table(table, temporary, compression="zstd")
        except pyarrow.ArrowException as error:
            raise BadFile(str(path), str(error).partition("\n")[0]) from None
