"""Accounts as tables: CSV or Parquet, by the ending of the file."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile, BadValue, MissingExtra

ENDINGS = (".csv", ".parquet")


def check_account_file(option: str, name: str | None) -> None:
    """Raise BadValue for an ending that is neither, MissingExtra without the library."""
    if name is None:
        return
    if Path(name).suffix.lower() not in ENDINGS:
        raise BadValue(option, name, "a file name that ends in .csv or .parquet")
    if name.lower().endswith(".parquet"):
        _parquet()


def write_accounts(lines: Sequence[Mapping[str, Any]], name: str) -> None:
    """Write *lines*, one a row; a column that only some have is empty for the others."""
    columns = list(dict.fromkeys(key for line in lines for key in line))
    try:
        if name.lower().endswith(".parquet"):
            arrow, parquet = _parquet()
            table = arrow.table({column: [line.get(column) for line in lines] for column in columns})
            parquet.write_table(table, name)
            return
        with Path(name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(
                {key: "" if value is None else value for key, value in line.items()} for line in lines
            )
    except OSError as error:
        raise BadFile(name, error.strerror or str(error)) from None


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "parquet", "Parquet") from None
    return pyarrow, pyarrow.parquet
