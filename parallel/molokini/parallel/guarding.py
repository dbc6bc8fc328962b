"""A function whose failures are values: not every exception survives the way between processes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from molokini.model.errors import BadInput, MolokiniError

Described = Callable[[BaseException], tuple[str, int]]


def plainly(error: BaseException) -> tuple[str, int]:
    """One line about *error*, and its exit code."""
    if isinstance(error, MolokiniError):
        return str(error), error.exit_code
    return f"internal error: {type(error).__name__}: {error}; please report", 1


@dataclass(frozen=True)
class Failure:
    """What comes in the place of a result where there is none."""

    text: str
    exit_code: int

    def error(self) -> MolokiniError:
        """The exception that stands for it: BadInput for exit code 2."""
        return (BadInput if self.exit_code == BadInput.exit_code else MolokiniError)(self.text)


@dataclass(frozen=True)
class Guarded:
    """A function of one item that returns a ``Failure`` where it raises."""

    function: Callable[[Any], Any]
    describe: Described

    def __call__(self, item: Any) -> Any:
        """What the function makes of *item*."""
        try:
            return self.function(item)
        except Exception as error:
            return Failure(*self.describe(error))
