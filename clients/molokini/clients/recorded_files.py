"""Files of recorded commands: a line of JSON for each, with its words, what it said and its exit code."""

import json
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile

_FIELDS = {"command": str, "words": list, "out": str, "err": str, "code": int}


def recorded(path: Path) -> list[dict[str, Any]]:
    """The commands that *path* holds, in their order. Raises BadFile."""
    try:
        rows = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadFile(str(path), f"cannot be read: {why}") from None
    return [_command(path, number, row) for number, row in enumerate(rows, 1) if row.strip()]


def _command(path: Path, number: int, row: str) -> dict[str, Any]:
    try:
        found = json.loads(row)
    except ValueError:
        found = None
    if not isinstance(found, dict) or any(
        not isinstance(found.get(name), kind) for name, kind in _FIELDS.items()
    ):
        raise BadFile(str(path), f"line {number} is no command that 'molokini record' has written")
    return found


def added(path: Path, command: dict[str, Any]) -> None:
    """Add *command* to the file *path*. Raises BadFile."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(command) + "\n")
    except OSError as error:
        raise BadFile(str(path), f"cannot be written: {error.strerror}") from None
