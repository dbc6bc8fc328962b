"""Man pages of ``molokini`` and of each command: ``make man``.

    python -m molokini.clients.manual FOLDER

They are made from the table of commands and the declarations of options, as ``--help`` is.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from molokini.clients.commands import GROUPS, HEADINGS
from molokini.clients.described import Described, DescribedCommand, described
from molokini.model.version import version

_SUMMARY = "schedule batch jobs: replay workloads, or run a live cluster"
_EXIT = (
    ("0", "Done."),
    ("1", "Something failed that is not in what was given."),
    ("2", "What was given cannot be used; one line on standard error says file, value and what is allowed."),
    ("130, 143", "Interrupted, terminated."),
)


def pages() -> Iterator[tuple[str, str]]:
    """Each page: the name of its file, and its text."""
    commands = tuple(described())
    yield "molokini.1", _text(_overview(commands))
    for one in commands:
        yield f"{_page(one)}.1", _text(_of(one))


def write(folder: Path) -> int:
    """Write all pages into *folder*/man1; how many there are."""
    place = folder / "man1"
    place.mkdir(parents=True, exist_ok=True)
    written = [(place / name).write_text(text, encoding="utf-8") for name, text in pages()]
    return len(written)


def _page(command: DescribedCommand) -> str:
    return "-".join(("molokini", *command.words))


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def _overview(commands: tuple[DescribedCommand, ...]) -> Iterator[str]:
    yield from _begin("molokini", _SUMMARY)
    yield ".B molokini"
    yield r"[\-h] [\-\-version]"
    yield ".I COMMAND"
    yield ".RI [ ARGUMENTS ]"
    yield ".SH DESCRIPTION"
    yield "Each command has a page of its own, which is named behind it."
    begun = ""
    for one in commands:
        if one.words[0] != begun and one.words[0] in HEADINGS:
            yield f".SS {_roff(HEADINGS[one.words[0]])}"
        begun = one.words[0]
        yield ".TP"
        yield f".BR {_roff(_page(one))} (1)"
        yield _roff(_summary(one))
    yield from _end()


def _of(command: DescribedCommand) -> Iterator[str]:
    yield from _begin(_page(command), _summary(command).rstrip("."))
    yield f".B {_roff(' '.join(('molokini', *command.words)))}"
    yield "[OPTIONS]"
    for one in command.positional:
        shown = f"{one.metavar}..." if one.many else one.metavar
        yield f".I {_roff(shown if one.required else f'[{shown}]')}"
    yield ".SH DESCRIPTION"
    if command.words[0] in GROUPS:
        yield _roff(GROUPS[command.words[0]])
        yield ".PP"
    for number, paragraph in enumerate(command.help.split("\n\n")):
        yield from ([".PP"] if number else [])
        yield _roff(paragraph)
    if command.positional:
        yield ".SH ARGUMENTS"
        for one in command.positional:
            yield from (".TP", f".I {_roff(one.metavar)}", _roff(one.help))
    yield ".SH OPTIONS"
    for one in command.options:
        yield from (".TP", _option(one), _roff(one.help))
    yield from _end()


def _option(option: Described) -> str:
    names = ", ".join(rf"\fB{_roff(name)}\fR" for name in option.names)
    return names + (rf" \fI{_roff(option.metavar)}\fR" if option.metavar else "")


def _begin(name: str, summary: str) -> Iterator[str]:
    # No date: the same tree makes the same bytes.
    yield f'.TH "{name.upper()}" 1 "" "molokini {version()}" "Molokini"'
    yield ".nh"
    yield ".SH NAME"
    yield rf"{_roff(name)} \- {_roff(summary)}"
    yield ".SH SYNOPSIS"


def _end() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, meaning in _EXIT:
        yield from (".TP", f".B {code}", _roff(meaning))
    yield ".SH SEE ALSO"
    yield r".BR molokini (1), \fBmolokini\-completion\fR(1)"


def _summary(command: DescribedCommand) -> str:
    return command.help.partition("\n\n")[0]


def _roff(text: str) -> str:
    """*text* as a line of a page, in which no sign is an order."""
    safe = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return f"\\&{safe}" if safe[:1] in (".", "'") else safe


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m molokini.clients.manual FOLDER")
    print(f"{write(Path(sys.argv[1]))} pages in {sys.argv[1]}/man1")
