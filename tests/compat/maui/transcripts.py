"""Transcripts: commands with what they print, as a file that people can read, and as they come.

``$ COMMAND`` is run in a shell's way of splitting words; what follows is what it prints. Lines of the stream
of errors begin with ``! ``, and ``-> N`` is an exit code other than 0. Of our own command (``$ molokini``)
nothing is compared. The name of the user stands as USER, in a column of eight as ``    USER``, and the
folder as HERE.
"""

import getpass
import shlex
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from tests.kit.batch_commands import Cluster, Ran

HERE = Path(__file__).parent


def parts(name: str) -> Iterator[tuple[str, str]]:
    """The commands of the transcript *name*, each with what it is to print."""
    text = "\n" + (HERE / name).read_text(encoding="utf-8")
    for part in text.split("\n$ ")[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed.rstrip("\n")


async def played(cluster: Cluster, commands: list[str]) -> AsyncIterator[tuple[str, str]]:
    """What *commands* print, one after the other, on *cluster*."""
    for command in commands:
        program, *words = shlex.split(command)
        if program == "molokini":
            ours = await cluster.molokini(*words)
            assert ours.code == 0, f"{command}: {ours.err}"
            yield command, ""
        else:
            ran = await cluster.ran(program, *words, TZ="UTC")
            yield command, _printed(ran._replace(out=ran.out.replace(str(cluster.folder), "HERE")))


def _printed(ran: Ran) -> str:
    out = [line.rstrip() for line in ran.lines]
    out += [f"! {line}".rstrip() for line in ran.err.splitlines()]
    out += [f"-> {ran.code}"] if ran.code else []
    return _nameless("\n".join(out).rstrip("\n"))


def _nameless(text: str) -> str:
    me = getpass.getuser()
    for width in (8, 9):
        text = text.replace(f" {me[:width]:>{width}} ", f" {'USER':>{width}} ")
    return (
        text.replace(f"{me:<9} ", f"{'USER':<9} ").replace(f"{me:<14} ", f"{'USER':<14} ").replace(me, "USER")
    )
