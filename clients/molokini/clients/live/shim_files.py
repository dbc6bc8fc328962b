"""Writes the commands of a batch system into a folder under their real names: some lines each, that call
ours."""

import os
import stat
import sys
from pathlib import Path

from molokini.compat import tool
from molokini.model.errors import BadFile, Conflict

_MARK = "# A command of Molokini."
_SHIM = """\
{first}
{mark}
import sys

sys.path.insert(0, {root!r})
from molokini.compat.tool import main

main({system!r}, {command!r}, {home!r})
"""
_LONGEST = 250
"""Of the first line: the kernel reads no more."""


def write_shims(folder: Path, systems: dict[str, dict[str, str]], home: str) -> list[Path]:
    """Write a file for each command (by batch system) into *folder*; what other programs have left there
    stays.

    *home*: the state folder of the server to ask where the environment names none; may be empty. Conflict
    where two batch systems have a command of one name, or a file of that name is not ours. BadFile where it
    cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise Conflict("DIR", f"{folder} is a file; the commands are written into a folder")
    seen: dict[str, str] = {}
    for system, commands in systems.items():
        for name in commands:
            if name in seen:
                text = f"{name} is a command of {seen[name]} and of {system}: give each a folder of its own"
                raise Conflict("--system", text)
            seen[name] = system
            if not _may_write(folder / name):
                raise Conflict("DIR", f"{folder / name} is there already, and is none of ours")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_written(folder / name, system, name, home) for name, system in seen.items()]
    except OSError as error:
        raise BadFile(str(folder), f"cannot be written: {error.strerror}") from None


def _may_write(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _MARK.encode() in file.read(1000)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _written(path: Path, system: str, command: str, home: str) -> Path:
    text = _SHIM.format(
        first=_first_lines(sys.executable),
        mark=_MARK,
        root=_root(),
        system=system,
        command=command,
        home=home,
    )
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_text(text, encoding="utf-8")
    scratch.chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    scratch.replace(path)
    return path


def _first_lines(python: str) -> str:
    """Have *python* run the file; through the shell where a first line cannot name it.

    To Python the line of the shell is a text without a use. Conflict where the shell would change the path.
    """
    if len(python) <= _LONGEST and not any(letter.isspace() for letter in python):
        return f"#!{python} -IS"
    if any(letter in "\"'$`\\\n" for letter in python):
        raise Conflict(
            "DIR", f"the path of this Python ({python}) has characters that no shell takes as they are"
        )
    return f"#!/bin/sh\n'''exec' \"{python}\" -IS \"$0\" \"$@\"\n' '''"


def _root() -> str:
    """The folder in which the interpreter finds our commands."""
    return str(Path(tool.__file__).resolve().parents[2])
