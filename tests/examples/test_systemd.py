"""The units for systemd call commands with options that there are, and keep jobs when an agent stops."""

import shlex
from configparser import ConfigParser
from pathlib import Path

import pytest

from molokini.clients.described import described
from tests.clients.command_runs import ROOT

UNITS = sorted((ROOT / "examples" / "systemd").glob("*.service"))


def read(path: Path) -> ConfigParser:
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path)
    return parser


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_what_a_unit_starts_is_there(path: Path) -> None:
    program, name, *rest = shlex.split(read(path)["Service"]["ExecStart"])
    [command] = [one for one in described() if one.words == (name,)]
    known = {name: option for option in command.options for name in option.names}
    given = [word for word in rest if word.startswith("--")]
    assert Path(program).name == "molokini"
    assert given
    assert set(given) <= set(known)
    assert len(rest) == len(given) + sum(bool(known[word].metavar) for word in given)
    assert {names for names, option in known.items() if option.required} <= set(given)


def test_jobs_outlive_the_agent() -> None:
    [agent] = [path for path in UNITS if "agent" in path.stem]
    assert read(agent)["Service"]["KillMode"] == "process"
