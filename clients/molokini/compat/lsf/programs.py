"""What a job runs: a script on standard input, a file with options in it, a command, a line for a shell."""

from __future__ import annotations

import os

from molokini.compat._types import Invocation, Sequence
from molokini.compat.scripts import NoScript, read_input, read_script, words_of
from molokini.compat.submitting import with_interpreter

_PREFIX = "#BSUB"
_MARK = "# LSBATCH: User input"
_LONGEST_NAME = 255


class Program:
    """The text that a job runs, and the words of its ``#BSUB`` lines, each with its number."""

    def __init__(self, script: str, lines: list[tuple[int, list[str]]], shown: str) -> None:
        self.script, self.lines, self.shown = script, lines, shown
        """*shown*: what listings call the command."""


def program_of(run: Invocation, words: Sequence[str]) -> Program:
    """What the *words* behind the options mean; without words, what stands on standard input.

    Raises NoScript, and ValueError for an option line that is none.
    """
    if not words:
        return _scripted(read_input(run.input))
    if len(words) == 1 and (text := _text_of(words[0])) is not None:
        return _scripted(text)
    line = command_line(words)
    read = _text_of(words[0]) if len(words) > 1 else None
    return Program(f"#!/bin/sh\n{_MARK}\n{line}\n", option_lines(read) if read else [], line)


def _scripted(text: str) -> Program:
    return Program(with_interpreter(text, "/bin/sh"), option_lines(text), _shown(text))


def _text_of(name: str) -> str | None:
    """The text of the file *name*, if it is a script: it has a first line for one, or options of ours."""
    if not os.path.isfile(name):
        return None
    try:
        text = read_script(name)
    except NoScript as error:
        # What is no text is a program, which can be run by its name.
        if error.kind in ("binary", "large") or (error.kind == "unreadable" and os.access(name, os.X_OK)):
            return None
        raise
    if text.startswith("#!") or not os.access(name, os.X_OK) or f"\n{_PREFIX}" in f"\n{text}":
        return text
    return None


def option_lines(script: str) -> list[tuple[int, list[str]]]:
    """The words of each line of *script* that begins with ``#BSUB``, wherever it is, and its number.

    Raises ValueError.
    """
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(script.split("\n"), 1):
        if not line.startswith(_PREFIX) or line[len(_PREFIX) : len(_PREFIX) + 1] not in ("", " ", "\t", "\r"):
            continue
        try:
            words = words_of(line[len(_PREFIX) :])
        except ValueError as error:
            raise ValueError(f"line {number} of the script: {error}") from None
        if words and not words[0].startswith("-"):
            raise ValueError(f"line {number} of the script: {line.strip()[:60]}: expected an option")
        found.append((number, words))
    return found


def command_line(words: Sequence[str]) -> str:
    """A line for a shell: a single word as it is, several with quotes round those that hold blanks."""
    if len(words) == 1:
        return words[0]
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if word and not any(letter in word for letter in " \t\n\"'"):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def _shown(script: str) -> str:
    """A script in one line, as LSF names it."""
    lines = (line.strip() for line in script.split("\n", 200))
    return ";".join(line for line in lines if line)


def command_of(script: str, argv: Sequence[str]) -> str:
    """What a listing shows of a job's program."""
    first, mark, line = script.partition(f"{_MARK}\n")
    if mark and first == "#!/bin/sh\n":
        return line.rstrip("\n").replace("\n", ";")
    return _shown(script) if script else " ".join(argv)


def name_of(shown: str) -> str:
    """The name of a job that was given none: its command, without what a name cannot hold."""
    return "".join(letter if letter.isprintable() else " " for letter in shown)[:_LONGEST_NAME]
