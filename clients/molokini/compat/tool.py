"""A command of a batch system as a process: which module it is, how it ends, and how it leaves quietly.

Whatever happens, a user sees lines and an exit code, and never a traceback.
"""

from __future__ import annotations

import errno
import os
import sys

from molokini.compat._types import Callable, Mapping, NoReturn, Sequence, TextIO, Transport
from molokini.compat.streams import fill_closed_streams

SYSTEMS = ("pbs", "lsf", "slurm", "maui")

_INTERRUPTED, _CLOSED_PIPE = 130, 141
_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Failed(Exception):
    """The command ends with *code*, and with *text* (if there is one) on the stream of errors."""

    def __init__(self, text: str = "", code: int = 1) -> None:
        super().__init__(text)
        self.text, self.code = text, code


class Answered(Failed):
    """The command has shown its help, or its version, and ends well."""

    def __init__(self) -> None:
        super().__init__(code=0)


class Invocation:
    """One run of a command: its name, what it was called with, and what it works with."""

    def __init__(self, name: str, line: Sequence[str], home: str = "") -> None:
        self.name, self.line, self._home = name, line, home
        self.input: TextIO = sys.stdin
        self.variables: Mapping[str, str] = os.environ
        self._transport: Transport | None = None

    @property
    def transport(self) -> Transport:
        """The transport to the server; it is looked for when it is first needed. Raises NoServer."""
        if self._transport is None:
            from molokini.compat.find_server import find

            self._transport = find(self._home)
        return self._transport

    def say(self, text: str) -> None:
        """Print a line."""
        sys.stdout.write(text + "\n")

    def complain(self, text: str) -> None:
        """Print a line on the stream of errors."""
        sys.stderr.write(_shown(text) + "\n")


def _shown(text: str) -> str:
    """*text* with what would move a terminal's cursor, or change its colours, written out."""
    if text.translate({10: None, 9: None}).isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in "\n\t" else one.encode("unicode_escape").decode() for one in text
    )


def main(system: str, command: str, home: str = "") -> NoReturn:
    """Be *command*. *home*: the state folder of the server to ask where the environment names none."""
    fill_closed_streams()
    code = ended(system, command, sys.argv[1:], home)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _CLOSED_PIPE
    except OSError as error:
        if not code:
            sys.stderr.write(f"{command}: standard output: {error.strerror}\n")
        code = code or 1
    # What an interpreter says at its end (of a closed pipe) is not for a user; and it takes 2 ms.
    os._exit(code)


def ended(system: str, command: str, line: Sequence[str], home: str = "") -> int:
    """The exit code of *command* with the arguments *line*; what it says is on the standard streams."""
    if "MOLOKINI_ANSWERS" in os.environ:
        from molokini.compat.answering import answered

        return answered(command, line, lambda: _ended(system, command, line, home))
    return _ended(system, command, line, home)


def _ended(system: str, command: str, line: Sequence[str], home: str) -> int:
    run = Invocation(command, line, home)
    try:
        return _carried_out(run, system, command)
    except Failed as failed:
        if failed.text:
            run.complain(failed.text)
        return failed.code
    except BrokenPipeError:
        return _CLOSED_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None and error.errno in _NOT_WRITTEN:
            run.complain(f"{command}: standard output: {error.strerror}")
            return 1
        run.complain(f"{command}: internal error, please report it: {type(error).__name__}: {error}")
        return 1


def _carried_out(run: Invocation, system: str, command: str) -> int:
    """What the command returns; where it cannot be carried out, Failed in the words of its batch system."""
    from molokini.compat.failures import TransportError, UsageError

    try:
        return _found(system, command)(run)
    except (TransportError, UsageError) as error:
        words = __import__(f"molokini.compat.{system}.failing", fromlist=["failed"])
        failed: Failed = words.failed(run, error)
        raise failed from None


def _found(system: str, command: str) -> Callable[[Invocation], int]:
    """The function ``run`` of the module that the batch system's table has for *command*."""
    package = __import__(f"molokini.compat.{system}", fromlist=["COMMANDS"])
    module = package.COMMANDS[command]
    found: Callable[[Invocation], int] = __import__(
        f"molokini.compat.{system}.{module}", fromlist=["run"]
    ).run
    return found
