"""Plain command lines are read without Typer: to the very values that Typer would read, or not at all."""

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from molokini.clients.quick import QUICK, quick
from molokini.clients.typer_commands import app_for
from molokini.model.declared import Declared

_VALUES = {bool: (), int: ("7",), float: ("2.5",), str: ("a=b,c",)}


def _value(wanted: Any) -> Sequence[str]:
    return next((text for kind, text in _VALUES.items() if wanted is kind or kind in get_args(wanted)), ())


def _spellings(declared: Declared, field: str) -> list[str]:
    return [part for names in declared.written(field) for part in names.split("/")]


def _lines() -> Iterator[list[str]]:
    """Each command alone, with each of its options in each way to write it, and with all of them."""
    for command, row in QUICK.items():
        everything = [command]
        yield [command]
        for field in fields(row.arguments()):
            wanted, declared = get_args(field.type)
            assert isinstance(declared, Declared)
            text = _value(wanted)
            if declared.positional:
                yield [command, "1", "two"]
                continue
            for number, name in enumerate(_spellings(declared, field.name)):
                yield [command, name, *text]
                if text:
                    yield [command, f"{name}={text[0]}"]
                everything += [] if number else [name, *text]
            if Sequence[str] == wanted:
                yield [command, name, "x", "1", name, "y"]
        yield everything
    yield ["submit", "--processors", "2", "--", "sleep", "--help", "5"]
    yield ["submit", "script.sh", "--name=", "--priority=-5"]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the commands were given."""
    found: list[object] = []

    def work(arguments: object) -> int:
        found.append(arguments)
        return 0

    for row in QUICK.values():
        module, _, name = row.work.partition(":")
        monkeypatch.setattr(importlib.import_module(f"molokini.clients.{module}"), name, work)
    return found


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("words", list(_lines()), ids=" ".join)
def test_typer_reads_the_same(
    words: list[str], taken: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the file of --json is written
    plain = quick(words)
    assert plain is not None
    assert plain() == 0
    app_for(words)(words, prog_name="molokini", standalone_mode=False)
    ours, typers = ({field.name: _plain(getattr(one, field.name)) for field in fields(one)} for one in taken)
    assert ours == typers
    assert type(taken[0]) is type(taken[1])


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["nodes"],
        ["jobs", "--help"],
        ["submit", "--hel"],
        ["jobs", "--all=yes"],
        ["jobs", "--user"],
        ["jobs", "--user", "--json"],
        ["jobs", "--", "1"],
        ["jobs", "--name", "a", "--name", "b"],
        ["submit", "-h"],
        ["submit", "-"],
        ["submit", "--processors", "many"],
        ["submit", "--processors", "1_000"],
        ["submit", "--divisible", "nan"],
        ["submit", "--priority", "-5"],
    ],
    ids=" ".join,
)
def test_what_is_not_plain_is_left_to_typer(words: list[str]) -> None:
    assert quick(words) is None
