"""The table of commands: each row names what there is, and no option of a command is written like another."""

import importlib
import subprocess
import sys
from collections import Counter
from dataclasses import MISSING, fields, is_dataclass
from inspect import signature
from typing import Any, get_args

import pytest

from molokini.clients.command import run
from molokini.clients.commands import COMMANDS, GROUPS, HEADINGS, Command
from molokini.model.declared import Behind, Declared
from tests.clients.command_runs import environment

EACH = pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)


def work_of(row: Command) -> Any:
    module, _, name = row.work.partition(":")
    root = "molokini" if module.startswith("app.") else "molokini.clients"
    return getattr(importlib.import_module(f"{root}.{module}"), name)


def declared_in(kind: type) -> dict[str, Declared]:
    """How each field of *kind* is written."""
    found = {}
    for field in fields(kind):
        [found[field.name]] = [part for part in get_args(field.type) if isinstance(part, Declared)]
    return found


@EACH
def test_what_a_command_takes_is_what_its_work_wants(row: Command) -> None:
    kind = row.arguments()
    assert is_dataclass(kind)
    [wanted] = signature(work_of(row)).parameters.values()
    # What starts servers and agents is written without these classes.
    assert row.work.startswith("app.") or issubclass(kind, wanted.annotation)


def test_each_command_has_a_name_of_its_own_in_a_group_that_there_is() -> None:
    assert max(Counter(row.name for row in COMMANDS).values()) == 1
    assert {row.name.rpartition(" ")[0] for row in COMMANDS} == {"", *GROUPS}
    assert not {row.name for row in COMMANDS} & set(GROUPS)


@EACH
def test_no_two_options_of_a_command_are_written_alike(row: Command) -> None:
    written = [
        name
        for field, declared in declared_in(row.arguments()).items()
        for names in declared.written(field)
        for name in names.split("/")
    ]
    assert max(Counter(["--help", *written]).values()) == 1


@EACH
def test_help_says_what_each_option_is_for(row: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*row.name.split(), "--help"]) == 0
    shown = "".join(capsys.readouterr().out.split())
    told = [row.help]
    for field, declared in declared_in(row.arguments()).items():
        if not declared.settings.get("hidden"):
            told += [declared.settings["help"], *(name.partition("/")[0] for name in declared.written(field))]
    assert [text for text in told if "".join(text.split()) not in shown] == []


def test_help_lists_what_a_command_adds_to_others_where_it_belongs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = {}
    for row in COMMANDS:
        kind = row.arguments()
        behind = {f.name: one for f in fields(kind) for one in get_args(f.type) if isinstance(one, Behind)}
        run([*row.name.split(), "--help"])
        lines = capsys.readouterr().out.split("Options:")[-1].splitlines()
        options = [line.split()[0].rstrip(",") for line in lines if line.startswith("  -")]
        for field, place in behind.items():
            first, second = (declared_in(kind)[name].written(name)[0] for name in (place.field, field))
            listed[row.name, second] = options.index(second) - options.index(first)
    assert listed["simulate", "--json"] == 1
    assert set(listed.values()) == {1}


def test_help_lists_all_commands_in_the_order_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    for group in ("", *GROUPS):
        assert run([*group.split(), "--help"]) == 0
        first = "Commands" if group else next(iter(HEADINGS.values()))
        lines = capsys.readouterr().out.split(f"\n{first}:\n")[1].splitlines()
        listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
        below = [row.name.split() for row in COMMANDS if not group or row.name.split()[0] == group]
        assert listed == list(dict.fromkeys(words[1] if group else words[0] for words in below))


def test_help_has_a_heading_for_each_group_of_commands_and_whole_sentences(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["-h"]) == 0
    shown = capsys.readouterr().out
    assert [line[:-1] for line in shown.splitlines() if line.endswith(":") and line[0] != " "] == [
        "Options",
        *HEADINGS.values(),
    ]
    assert "..." not in shown.partition("Options:")[2]
    assert run(["--help"]) == 0
    assert capsys.readouterr().out == shown


def test_h_is_help_of_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["simulate"], ["workload"], ["workload", "info"], ["submit"]):
        assert run([*words, "-h"]) == 0
        short = capsys.readouterr().out
        assert run([*words, "--help"]) == 0
        assert capsys.readouterr().out == short
        assert short.startswith(f"Usage: molokini {' '.join(words)} ")


def test_help_loads_the_options_of_no_command() -> None:
    code = (
        "import sys; from molokini.clients.command import run; run(['--help']); "
        "sys.exit(','.join(m for m in sys.modules if m.startswith('molokini.clients.arguments')) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def needed_by(row: Command) -> list[str]:
    return [field.name for field in fields(row.arguments()) if field.default is MISSING]


@pytest.mark.parametrize("row", [row for row in COMMANDS if needed_by(row)], ids=lambda row: row.name)
def test_a_command_that_lacks_something_says_what(row: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(row.name.split()) == 2
    told = capsys.readouterr().err
    assert told.startswith("molokini: Missing ")
    declared = declared_in(row.arguments())
    names = [(*declared[name].written(name), declared[name].settings["metavar"]) for name in needed_by(row)]
    assert any(name in told for each in names for name in each), names
