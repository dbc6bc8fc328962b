"""Whoever types a command of Maui's is told what it is called here."""

from collections.abc import Callable

import pytest

from molokini.clients.maui.command_names import _HERE, _NOWHERE
from tests.clients.command_runs import Ran

Command = Callable[..., Ran]


@pytest.mark.parametrize("name", [*_HERE, *_NOWHERE])
def test_a_name_of_maui_s_is_answered(molokini: Command, name: str) -> None:
    ran = molokini(name, "3")
    assert (ran.code, ran.out) == (2, "")
    assert f"No such command '{name}': it is Maui's; " in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    "said", sorted({said.format(name).split(" and ")[0] for name, said in _HERE.items()})
)
def test_what_is_proposed_exists(molokini: Command, said: str) -> None:
    words = said.split()
    path = words[:2] if words[0] in ("maui", "bank") else [words[0].rstrip(",")]
    ran = molokini(*path, "--help")
    assert ran.code == 0
    for option in (word.rstrip(",") for word in words if word.startswith("--")):
        assert option in ran.out


def test_other_mistakes_are_told_as_before(molokini: Command) -> None:
    assert "Did you mean 'cancel'" in molokini("cancle").err


def test_showstats_takes_one_kind(molokini: Command) -> None:
    assert "takes one of -u" in molokini("maui", "showstats", "-u", "-g").err
