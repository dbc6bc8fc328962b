"""Listings: in a pipe a row is a line; on a terminal no line is wider than it is, and sentences are whole."""

import importlib
import io
import pkgutil
from collections.abc import Iterator, Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console

from molokini.clients import live
from molokini.clients.show import lines
from molokini.clients.show.lines import Column, show_facts, show_listing

LONG = (
    "the hard limit MaxProcPerUser would be exceeded (4, 0 in use, 8 requested), and it waits behind a job "
    "that cannot start until node[001-064] comes back from its maintenance"
)


def _tables() -> Iterator[tuple[str, tuple[Column, ...]]]:
    """Every tuple of columns that a module of the commands has."""
    for module in pkgutil.iter_modules(live.__path__, f"{live.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, tuple) and value and all(isinstance(one, Column) for one in value):
                yield f"{module.name}.{name}", value


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is printed, on a terminal of 80 columns."""
    stream = io.StringIO()

    def console() -> Console:
        return Console(file=stream, highlight=False, force_terminal=True, width=80, no_color=True, style=None)

    monkeypatch.setattr(lines, "console", console)
    return stream


def _plain(stream: io.StringIO) -> list[str]:
    text = stream.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "")
    return text.split("\n")


def _assert_whole(stream: io.StringIO, words: Sequence[str]) -> None:
    found = _plain(stream)
    assert max(map(cell_len, found)) <= 80, max(found, key=cell_len)
    text = " ".join(found)
    for word in words:
        assert word in text, f"{word} is lost"


@pytest.mark.parametrize(("name", "columns"), list(_tables()))
def test_every_listing_has_whole_sentences_at_80_columns(
    name: str, columns: tuple[Column, ...], shown: io.StringIO
) -> None:
    cells = ["1,234,567" if one.figures else LONG if one.cut else "a-name-of-16-sign" for one in columns]
    show_listing(columns, [cells, cells])
    wanted = LONG.split() if any(one.cut for one in columns) else []
    figures = ["1,234,567"] if any(one.figures for one in columns) else []
    _assert_whole(shown, [*figures, *wanted])
    assert all(one.name == one.name.lower() for one in columns), "headings are in small letters"


def test_a_long_fact_goes_on_below_itself(shown: io.StringIO) -> None:
    show_facts({"job": "3", "because": LONG})
    _assert_whole(shown, LONG.split())
    assert _plain(shown)[2].startswith(" " * len("because  "))


def test_in_a_pipe_a_row_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    show_listing((Column("job"), Column("why", cut=True)), [("1", LONG), ("2", LONG)])
    assert capsys.readouterr().out.splitlines()[1:] == [f"1    {LONG}", f"2    {LONG}"]
