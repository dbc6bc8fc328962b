"""Options of a job for its supervisor, of which no other part of the system has to know.

It asks by variables: MOLOKINI_OPEN_MODE=append keeps what is in its output files, append-output and
append-error what is in one of them;
MOLOKINI_WARNING=12@90:rest has signal 12 sent 90 seconds before its limit; MOLOKINI_SIGNALS=rest spares its
first process, a script that waits for others, the signals that users send. ``rest`` is all processes but the
first, ``first`` that one alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OPEN_MODE, WARNING, SIGNALS = "MOLOKINI_OPEN_MODE", "MOLOKINI_WARNING", "MOLOKINI_SIGNALS"
_WHOM = ("all", "rest", "first")
_MOST_DIGITS = 9
"""Of a number: any job can set the variables, and of a longer one Python makes no number."""


def appends(environment: Mapping[str, str], stream: str) -> bool:
    """Whether *stream*, ``output`` or ``error``, goes behind what is in its file."""
    return environment.get(OPEN_MODE) in ("append", f"append-{stream}")


def whom(environment: Mapping[str, str]) -> str:
    """To which processes signals of users go."""
    asked = environment.get(SIGNALS, "all")
    return asked if asked in _WHOM else "all"


def warning(environment: Mapping[str, str]) -> tuple[int, float, str] | None:
    """Signal, seconds before the limit, and to which processes; None where the job asks for no warning."""
    signal, _, rest = environment.get(WARNING, "").partition("@")
    seconds, _, asked = rest.partition(":")
    if not (_is_number(signal) and 1 <= int(signal) <= 64 and _is_number(seconds)):
        return None
    return int(signal), float(seconds), asked if asked in _WHOM else "all"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def chosen(pids: list[int], first: int, asked: str) -> list[int]:
    """Those of *pids* that *asked* names, where *first* is the first process."""
    if asked == "first":
        return [pid for pid in pids if pid == first]
    return [pid for pid in pids if pid != first] if asked == "rest" else pids
