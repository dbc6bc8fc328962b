"""Whatever goes wrong, in one place: one line on standard error and an exit code.

2: what was given cannot be used. 1: something else failed. 130: interrupted; 143: terminated. A traceback is
shown only where ``MOLOKINI_DEBUG`` is set.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from molokini.clients.maui.command_names import hint
from molokini.compat.streams import fill_closed_streams
from molokini.model.errors import BadValue, MolokiniError
from molokini.model.extras import missing_extra
from molokini.model.text import printable

DEBUG_VARIABLE = "MOLOKINI_DEBUG"
INTERRUPTED = 130
TERMINATED = 128 + signal.SIGTERM


def guarded(command: Callable[[], Any]) -> int:
    """Run *command* (an application of Typer's that raises) and return its exit code."""
    fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A log's header may hold what the terminal's encoding has no sign for.
            stream.reconfigure(errors="backslashreplace")
    try:
        with _terminable():
            code = command()
        sys.stdout.flush()
    except BrokenPipeError:
        _close_output()
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as leaving:
        # Typer and Rich leave like this when the reader of a pipe has gone.
        _close_output()
        return leaving.code if isinstance(leaving.code, int) else 1
    except Exception as error:
        return _told(error)
    return code if isinstance(code, int) else 0


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Inside, SIGTERM ends the command as an interrupt does, so that half a file is cleared away."""
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def terminate(*_: object) -> None:
    """Answer SIGTERM as an interrupt is answered."""
    raise SystemExit(TERMINATED)


def _told(error: Exception) -> int:
    if isinstance(error.__cause__, KeyboardInterrupt):  # while a policy in Python ran
        return INTERRUPTED
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exc()
    text, code = describe(error)
    print(f"molokini: {printable(text)}", file=sys.stderr)
    if isinstance(error, OSError) and not error.filename:
        _close_output()
    return code


def describe(error: BaseException) -> tuple[str, int]:
    """One line about *error*, and the exit code."""
    if isinstance(error, MolokiniError):
        return str(error), error.exit_code
    if (missing := missing_extra(error, "this command")) is not None:
        return str(missing), missing.exit_code
    message = getattr(error, "format_message", None)
    if callable(message):
        return _usage(error, message()), 2
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {error.strerror or error}", 1
    if isinstance(error, MemoryError):
        return "out of memory", 1
    return f"internal error: {type(error).__name__}: {error}; please report", 1


def _usage(error: BaseException, message: str) -> str:
    """Typer's complaint about the command line, with the way to the help in the same line."""
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "molokini")
    return f"{_mistyped(error) or hint(message) or message.rstrip('.')} (see '{path} --help')"


_WANTED = {"int_parsing": "a whole number", "float_parsing": "a number"}
"""What a value must be that could not be read, by pydantic's name of the error (it reads Typer's options)."""


def _mistyped(error: BaseException) -> str:
    """The complaint about an option's value of another type, in the words of ours; empty for other errors."""
    found = getattr(error.__cause__, "errors", None)
    names = getattr(getattr(error, "param", None), "opts", None)
    if not callable(found) or not names:
        return ""
    first = found()[0]
    wanted = _WANTED.get(first["type"])
    return str(BadValue(names[0], first["input"], wanted)) if wanted else ""


def _close_output() -> None:
    # Python flushes standard output once more on its way out, and would complain.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
