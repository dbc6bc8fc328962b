"""The separate files of older Mauis, ``fs.cfg`` and ``machine.cfg``, as lines of ``maui.cfg``.

They lie in Maui's folder, beside ``maui.cfg``. A line of the first is ``TYPE:NAME ATTR=VALUE ...`` (USER,
GROUP, ACCOUNT, CLASS, QOS; or SYSTEM), as the guide's page on the fairshare file has it; QOSes may be numbers
there, and are those that ``QOSNAME[n]`` names. No guide says how the second is written: its lines are read as
``NAME ATTR=VALUE ...`` (or ``NODE:NAME``) with the attributes of NODECFG.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from molokini.maui.grammar import BadLine, Line, parsed
from molokini.maui.sources import Sources
from molokini.model.errors import BadFile

FAIRSHARE = "fs.cfg"
MACHINE = "machine.cfg"
_OBJECTS = {
    "USER": "USERCFG",
    "GROUP": "GROUPCFG",
    "ACCOUNT": "ACCOUNTCFG",
    "CLASS": "CLASSCFG",
    "QOS": "QOSCFG",
}
_HEAD = re.compile(r"(\S+)(.*)", re.DOTALL)
_RANGE = re.compile(r"(\d{1,4})-(\d{1,4})")
_OF_QOS = ("QLIST", "QDEF")


def is_separate(path: str | Path) -> bool:
    """Whether *path* is such a file by its name, and so written as they are."""
    return os.path.basename(path) in (FAIRSHARE, MACHINE)


def lines_beside(
    path: str | Path, sources: Sources, main: Sequence[Line], refuse: Callable[[BadFile], None]
) -> list[Line]:
    """The lines of the separate files beside *path*, with *main* its own; what is wrong is refused."""
    folder = os.path.dirname(path)
    found: list[Line] = []
    for name in (FAIRSHARE, MACHINE):
        other = os.path.join(folder, name)
        if os.path.exists(other):
            found += lines_of(other, sources, main, refuse)
    return found


def lines_of(
    path: str | Path, sources: Sources, main: Sequence[Line], refuse: Callable[[BadFile], None]
) -> list[Line]:
    """The lines of the separate file *path* as ``maui.cfg`` would have them."""
    name, read = str(path), _machine if os.path.basename(path) == MACHINE else _fairshare
    named = {line.index: line.words[0] for line in main if line.name == "QOSNAME" and line.words}
    found = []
    try:
        text = sources.text(path)
    except BadFile as error:
        refuse(error)
        return []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            made = read(line, name, number)
        except BadLine as error:
            refuse(BadFile(name, str(error), number))
            continue
        if made is not None:
            found.append(_with_names(made, named) if read is _fairshare else made)
    return found


def _fairshare(text: str, file: str, number: int) -> Line | None:
    head, rest = _parts(text)
    if not head:
        return None
    if head.upper() == "SYSTEM":
        return parsed(f"SYSCFG {rest}", file, number)
    kind, _, name = head.partition(":")
    if kind.upper() not in _OBJECTS or not name:
        raise BadLine(
            "a line must begin with USER:NAME, GROUP:, ACCOUNT:, CLASS:, QOS: or SYSTEM "
            "(fs.cfg is the name of the fairshare file of Maui 3.0; call a main configuration otherwise)"
        )
    return parsed(f"{_OBJECTS[kind.upper()]}[{name}] {rest}", file, number)


def _machine(text: str, file: str, number: int) -> Line | None:
    head, rest = _parts(text)
    if not head:
        return None
    if head.upper().startswith("NODE:"):
        head = head[len("NODE:") :]
    if not head or "=" in head:
        raise BadLine("a line must begin with the name of a node")
    return parsed(f"NODECFG[{head}] {rest}", file, number)


def _parts(text: str) -> tuple[str, str]:
    match = _HEAD.match(text.strip())
    if match is None or match[1].startswith("#"):
        return "", ""
    return match[1], match[2].strip()


def _with_names(line: Line, named: Mapping[str | None, str]) -> Line:
    """*line* with the names of QOSes in the place of their numbers, and flags as they are called now."""
    index = named.get(line.index, line.index) if line.name == "QOSCFG" else line.index
    return replace(line, index=index, words=tuple(_word(word, named) for word in line.words))


def _word(word: str, named: Mapping[str | None, str]) -> str:
    attribute, equals, value = word.partition("=")
    if attribute.upper() == "FSFLAGS":
        return f"JOBFLAGS{equals}{value}"
    if attribute.upper() not in _OF_QOS:
        return word
    sign = value[-1:] if value.endswith(("&", "^")) else ""
    names = [named.get(one, one) for one in _numbers(value.removesuffix(sign) if sign else value)]
    return f"{attribute}{equals}{','.join(names)}{sign}"


def _numbers(value: str) -> Iterator[str]:
    """The members of a list, ranges of numbers one by one."""
    for part in re.split(r"[,:|]", value):
        match = _RANGE.fullmatch(part)
        if match and int(match[1]) <= int(match[2]):
            yield from map(str, range(int(match[1]), int(match[2]) + 1))
        else:
            yield part
