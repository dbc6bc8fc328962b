"""Options alike in all commands: given twice, short names, and JSON with and without a file."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest

from molokini.clients import commands
from molokini.clients.arguments.shared import JsonArguments, JsonFile
from molokini.clients.command import run
from molokini.clients.commands import COMMANDS, Command
from molokini.clients.json_files import json_written
from molokini.clients.optional_values import with_values
from molokini.model.declared import Declared, argument, option
from molokini.model.errors import BadInput
from tests.clients.command_runs import here


def options_of(row: Command) -> Iterator[tuple[Any, tuple[str, ...], Declared]]:
    """The type, the names and the declaration of each option of a command."""
    for field in fields(row.arguments()):
        wanted, declared, *_ = get_args(field.type)
        if not declared.positional:
            yield wanted, declared.written(field.name), declared


SINGLE = {
    row: names
    for row in COMMANDS
    for wanted, names, _ in options_of(row)
    if wanted != Sequence[str] and bool not in (wanted, *get_args(wanted))
}
"""One option of each command that has such a one."""


@pytest.mark.parametrize(("row", "names"), SINGLE.items(), ids=[row.name for row in SINGLE])
def test_an_option_of_one_value_that_is_given_twice_is_refused(
    row: Command, names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    ran = here(capsys, *row.name.split(), names[0], "1", f"{names[-1]}=2")
    told = f"molokini: {names[0]} is given more than once; {row.name.split()[-1]} takes it once"
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(told)
    assert f"(see 'molokini {row.name} --help')" in ran.err


@pytest.mark.parametrize("command", ["simulate", "capacity"])
def test_several_policies_are_for_compare(
    command: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = here(capsys, command, small, "--policy", "easy", "--policy", "fcfs")
    assert (ran.code, ran.out) == (2, "")
    assert "--policy is given more than once" in ran.err
    assert "; compare takes several (see" in ran.err
    ran = here(capsys, "compare", small, "--policy", "easy,fcfs")
    assert (ran.code, ran.out) == (2, "")
    assert "--policy easy --policy fcfs" in ran.err


def test_a_flag_and_its_opposite_are_refused_and_the_same_flag_again_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ran = here(capsys, "alter", "1", "--requeue", "--no-requeue")
    assert (ran.code, ran.err.partition(":")[2][:27]) == (2, " --requeue and --no-requeue")
    assert here(capsys, "study", "--quick", "--quick").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "LOG", "--policy", "easy", "--set", "order=shortest", "--set", "order=fcfs"],
        ["simulate", "LOG", "--policy", "easy?order=shortest&order=fcfs"],
    ],
    ids=lambda words: words[-1],
)
def test_a_parameter_that_has_two_values_is_refused(
    words: list[str], small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = here(capsys, *(small if word == "LOG" else word for word in words))
    assert (ran.code, ran.out) == (2, "")
    assert "order" in ran.err
    assert "give each parameter once" in ran.err


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_processors_have_their_short_names_everywhere(row: Command) -> None:
    written = {name for _, names, _ in options_of(row) for name in names}
    for long, short in (("--processors", "--procs"), ("--processors-per-node", "--procs-per-node")):
        assert long not in written or short in written


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_json_may_stand_alone_in_every_command(row: Command) -> None:
    for _, names, declared in options_of(row):
        if "--json" in names:
            assert with_values(["--json"], row.arguments()) == ["--json=-"]
            assert with_values(["--json", "-"], row.arguments()) == ["--json", "-"]
            assert with_values(["--json", "a.json"], row.arguments()) == ["--json", "a.json"]
            assert declared.settings["metavar"].startswith("[FILE")


@dataclass(frozen=True, kw_only=True)
class Offline:
    log: Annotated[str, argument(metavar="LOG", help="")] = ""
    name: Annotated[str, option(help="")] = ""
    full: Annotated[bool, option(help="")] = False
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class Live(JsonArguments):
    ids: Annotated[Sequence[str], argument(metavar="ID", help="")] = ()
    argv: Annotated[Sequence[str], option(help="")] = ()


@pytest.mark.parametrize(
    ("kind", "words", "read"),
    [
        (Offline, "--json out", "--json out"),
        (Offline, "--json --full", "--json=- --full"),
        (Offline, "--full --json", "--full --json=-"),
        (Offline, "--json=out --full", "--json=out --full"),
        (Offline, "--name --json x", "--name --json x"),
        (Live, "--json 5", "--json=- 5"),
        (Live, "5 --json", "5 --json=-"),
        (Live, "--json jobs.JSON 5", "--json jobs.JSON 5"),
        (Live, "--json -- sleep --json", "--json=- -- sleep --json"),
    ],
)
def test_what_stands_behind_json(kind: type, words: str, read: str) -> None:
    assert with_values(words.split(), kind) == read.split()


def test_json_of_an_offline_command_without_a_file(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = here(capsys, "workload", "info", small, "--json")
    assert alone.code == 0
    assert alone.json == here(capsys, "workload", "info", small, "--json", "-").json


def test_json_never_replaces_a_log(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = small.read_bytes()
    ran = here(capsys, "compare", "--json", small, small, "--policy", "fcfs")
    assert (ran.code, ran.out) == (2, "")
    assert "write --json=-" in ran.err
    assert small.read_bytes() == before


def test_workload_info_takes_the_machine(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nameless = small.with_name("nameless.swf")
    nameless.write_text(
        "".join(line for line in small.read_text().splitlines(True) if "MaxProcs" not in line)
    )
    found = here(capsys, "workload", "info", nameless, "--procs", "16", "--json").json
    assert found["machine"]["processors"] == 16
    assert found["offered_load"] > 0
    assert here(capsys, "workload", "info", nameless, "--procs", "0").code == 2


@dataclass(frozen=True)
class Printing:
    """A command that prints JSON, and then perhaps fails."""

    fails: bool = False

    def __call__(self, arguments: JsonArguments) -> None:
        print(json.dumps({"json": arguments.json}), flush=True)
        if self.fails:
            raise BadInput("too late")


def test_a_live_command_writes_its_json_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    named = commands._named
    for words in (["cluster"], ["jobs"], ["watch"]):
        file = tmp_path / f"{words[0]}.json"
        monkeypatch.setattr(commands, "_named", lambda at: Printing() if at.startswith("live") else named(at))
        ran = here(capsys, *words, "--json", file)
        assert (ran.code, ran.out, json.loads(file.read_text())) == (0, "", {"json": True})
        assert here(capsys, *words, "--json", tmp_path / "no" / "a.json").code == 2


def test_a_live_command_that_fails_leaves_no_json(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    arguments = JsonArguments(json_file=str(file))
    with pytest.raises(BadInput, match="too late"), json_written(arguments):
        Printing(fails=True)(arguments)
    assert os.listdir(tmp_path) == []


def test_an_option_without_its_value_names_the_help_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["simulate", "log.swf", "--policy"]) == 2
    assert "requires an argument (see 'molokini simulate --help')" in capsys.readouterr().err
