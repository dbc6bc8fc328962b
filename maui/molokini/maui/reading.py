"""From a file, ``maui.cfg`` or TOML by its ending, to a configuration, or to all that is wrong in it."""

from dataclasses import replace
from pathlib import Path

from molokini.maui import interpreting, toml
from molokini.maui.draft import Draft
from molokini.maui.findings import Finding, Report, Status
from molokini.maui.grammar import BadLine, Line, misspelt_include, parsed
from molokini.maui.model import MauiConfig
from molokini.maui.separate import is_separate, lines_beside, lines_of
from molokini.maui.sources import Sources
from molokini.model.errors import BadFile

TOML = ".toml"
"""The ending of files in our own spelling; any other file is a ``maui.cfg``."""


def check(path: str | Path, nodes: frozenset[str] | None = None) -> Report:
    """Read the file *path* and say of each parameter what becomes of it; whatever is wrong is in the report.

    Where the *nodes* that exist are known, reservations must be on some of them. ``fs.cfg`` and
    ``machine.cfg`` beside a ``maui.cfg`` belong to it; what it says itself goes before what they say.
    """
    name = str(path)
    draft = Draft()
    sources = Sources()
    try:
        if name.lower().endswith(TOML):
            toml.interpret(sources.text(path), name, draft)
        else:
            interpreting.interpret(_all_lines(sources, path, draft), draft)
    except BadFile as error:
        _refuse(draft, error)
    return _ordered(draft.report(name, nodes))


def read_config(path: str | Path, nodes: frozenset[str] | None = None) -> MauiConfig:
    """The configuration in the file *path*. Raises BadFile for the first thing that is wrong in it."""
    return check(path, nodes).checked()


def check_text(text: str, name: str = "maui.cfg", nodes: frozenset[str] | None = None) -> Report:
    """As ``check``, for a ``maui.cfg`` without includes (or TOML, by *name*) that is in memory."""
    draft = Draft()
    try:
        if name.lower().endswith(TOML):
            toml.interpret(text, name, draft)
        else:
            lines = [_line(draft, name, number, line) for number, line in enumerate(text.split("\n"), 1)]
            interpreting.interpret([line for line in lines if line is not None], draft)
    except BadFile as error:
        _refuse(draft, error)
    return _ordered(draft.report(name, nodes))


def _all_lines(sources: Sources, path: str | Path, draft: Draft) -> list[Line]:
    def refuse(error: BadFile) -> None:
        _refuse(draft, error)

    if is_separate(path):
        return lines_of(path, sources, (), refuse)
    main = _lines(sources, path, draft)
    return [*lines_beside(path, sources, main, refuse), *main]


def _lines(sources: Sources, path: str | Path, draft: Draft) -> list[Line]:
    found = []
    for file, number, text in sources.lines(path):
        line = None if draft.full else _line(draft, file, number, text)
        if line is not None:
            found.append(line)
    for trouble in sources.troubles:
        _refuse(draft, trouble)
    return found


def _line(draft: Draft, file: str, number: int, text: str) -> Line | None:
    if misspelt_include(text):
        cause = "a comment: only #INCLUDE, in capitals and at the beginning of the line, includes a file"
        shown = text.strip()[:120]
        draft.findings.append(Finding(file, number, shown, "", Status.WITHOUT_EFFECT, cause=cause))
    try:
        return parsed(text, file, number)
    except BadLine as error:
        _refuse(draft, BadFile(file, str(error), number))
        return None


def _refuse(draft: Draft, error: BadFile) -> None:
    draft.refuse(Finding(error.path, error.line, "", "", Status.REFUSED), error.cause)


def _ordered(report: Report) -> Report:
    """By file as first met, then by line."""
    files = {file: at for at, file in enumerate(dict.fromkeys(one.file for one in report.findings))}
    findings = sorted(report.findings, key=lambda one: (files[one.file], one.line or 0))
    return replace(report, findings=tuple(findings))
