"""``molokini completion``: what each shell makes of its script."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.clients.commands import COMMANDS, GROUPS
from molokini.clients.described import described
from tests.clients.command_runs import Ran

Command = Callable[..., Ran]
FIRST = list(dict.fromkeys(row.name.split()[0] for row in COMMANDS))

CASES = [
    ("molokini simu", ["simulate"]),
    ("molokini s", [name for name in FIRST if name[0] == "s"]),
    ("molokini workload conv", ["convert"]),
    ("molokini workload info --pl", ["--plot"]),
    ("molokini simulate --policy conserv", ["conservative", "conservative-worstfit"]),
    ("molokini shims --system s", ["slurm"]),
    ("molokini completion f", ["fish"]),
    ("molokini submit --no-req", ["--no-requeue"]),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    from tests.clients.command_runs import shell

    def script(name: str) -> Path:
        path = tmp_path_factory.getbasetemp() / f"completion.{name}"
        if not path.exists():
            ran = shell("completion", name)
            assert (ran.code, ran.err) == (0, "")
            path.write_text(ran.out)
        return path

    return script


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_bash(scripts: Callable[[str], Path], line: str, expected: list[str]) -> None:
    words = shlex.split(line)
    lines = (
        f"source {scripts('bash')}",
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}",
        "_molokini",
        'printf "%s\\n" "${COMPREPLY[@]}"',
    )
    assert sorted(_said("bash", "--norc", "-euc", "\n".join(lines))) == sorted(expected)


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish(scripts: Callable[[str], Path], line: str, expected: list[str]) -> None:
    text = f"source {scripts('fish')}; complete -C{shlex.quote(line)}"
    found = [row.partition("\t")[0] for row in _said("fish", "--no-config", "-c", text)]
    assert sorted(found) == sorted(expected)


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_reads_its_script(scripts: Callable[[str], Path]) -> None:
    text = f"autoload -Uz compinit; compinit -D -u; source {scripts('zsh')}; print $_comps[molokini]"
    assert _said("zsh", "-fc", text) == ["_molokini"]


@pytest.mark.deep
def test_zsh_is_offered_all_that_there_is(scripts: Callable[[str], Path]) -> None:
    text = scripts("zsh").read_text()
    for one in described():
        assert f"('{' '.join(one.words)}')" in text
        for option in one.options:
            assert all(f"'{name}:" in text for name in option.names), option


def test_every_command_and_option_is_described() -> None:
    found = list(described())
    assert [" ".join(one.words) for one in found] == [row.name for row in COMMANDS]
    assert {one.words[0] for one in found if len(one.words) == 2} == set(GROUPS)
    [simulate] = [one for one in found if one.words == ("simulate",)]
    by_name = {name: option for option in simulate.options for name in option.names}
    assert (by_name["--procs"], by_name["--strict"].metavar) == (by_name["--processors"], "")
    assert by_name["--help"].names == ("-h", "--help")
    assert [(one.metavar, one.required) for one in simulate.positional] == [("LOG", False)]


def test_another_shell_is_refused(molokini: Command) -> None:
    ran = molokini("completion", "zhs")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "molokini: no shell named 'zhs'; did you mean 'zsh'?\n"


def _said(*words: str) -> list[str]:
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "HOME": os.devnull})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()
