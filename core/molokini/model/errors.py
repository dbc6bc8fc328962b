"""The errors that a user can meet, as one small tree.

    MolokiniError            something went wrong that is not the user's doing (exit 1)
    └── BadInput             what was given cannot be used as it is (exit 2)
        ├── BadFile          a file: missing, truncated, malformed (names file and line)
        ├── BadValue         an option, parameter or field out of its range
        ├── Conflict         a value that is well by itself, and does not go with something else
        ├── UnknownName      a policy, parameter, column that does not exist (names the nearest)
        └── MissingExtra     an optional dependency that is not installed

The text of each is one line that says what, where, and what would be right. The command prints
it after ``molokini: `` and exits with ``exit_code``; a user never sees a traceback.
"""

import difflib
from collections.abc import Iterable


class MolokiniError(Exception):
    """Something failed; the text is one line for a person."""

    exit_code = 1


class BadInput(MolokiniError):
    """What was given cannot be used as it is."""

    exit_code = 2


class BadFile(BadInput):
    """A file is missing, truncated or malformed."""

    def __init__(self, path: str, cause: str, line: int | None = None) -> None:
        self.path, self.line, self.cause = path, line, cause
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {cause}")


class BadValue(BadInput):
    """A value is outside what its field allows."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        wrong = "it is missing" if value is None else f"{shortened(repr(value))} is not allowed"
        super().__init__(f"{_placed(field)}: {wrong}; it must be {allowed}")


class Conflict(BadInput):
    """A value is not wrong by itself, but does not go with another, or with how things stand."""

    def __init__(self, field: str, sentence: str) -> None:
        """*sentence* says what does not go together, and what to do; it stands behind the name of *field*."""
        self.field = field
        super().__init__(f"{_placed(field)}: {sentence}")


class UnknownName(BadInput):
    """A name that does not exist; the nearest one that does is in the text."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        folded = {one.casefold(): one for one in self.known}
        near = difflib.get_close_matches(name[:_MOST_QUOTED].casefold(), folded, n=1, cutoff=0.5)
        hint = f"did you mean {folded[near[0]]!r}?" if near else f"known: {_some(self.known)}"
        super().__init__(f"no {kind} named {shortened(repr(name))}; {hint}")


def shortened(text: str) -> str:
    """*text* as a message repeats it: cut off, where the user gave a very long one."""
    return text if len(text) <= _MOST_QUOTED else f"{text[: _MOST_QUOTED - 3]}..."


_MOST_QUOTED = 80
_MOST_PATH = 200


def _some(names: list[str]) -> str:
    """The names, or the first of them where there are very many."""
    if len(names) <= _MOST_NAMES:
        return ", ".join(names) or "none"
    return ", ".join(names[:_MOST_NAMES]) + f" and {len(names) - _MOST_NAMES:,} more"


_MOST_NAMES = 30


class MissingExtra(BadInput):
    """An optional dependency is needed and not installed."""

    def __init__(self, module: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {module}; install it with: pip install 'molokini[{extra}]'")


def _placed(field: str) -> str:
    """A field, behind its file where it says ``FILE: FIELD``: a long path must not hide which field it is."""
    file, colon, key = field.rpartition(": ")
    if not colon:
        return shortened(field)
    if len(file) > _MOST_PATH:
        file = f"...{file[3 - _MOST_PATH :]}"
    return f"{file}: {shortened(key)}"
