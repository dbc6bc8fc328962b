"""What coscheduling refuses, as a user types it: one line on standard error, exit code 2, nothing written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.compiled.compilation import interpreting
from tests.clients.command_runs import Ran

Command = Callable[..., Ran]
SERIAL = 'nodes = 1\n[[job]]\nkind = "serial"\nwork = "10ms"\n'
DRIVEN = ("--local", "message-driven")
TASKS = (
    'nodes = 4\n[costs]\nlatency = "1ms"\n[scheduling]\nlocal = "csm"\n[memory]\npages = 32768\n'
    '[tasks]\njobs = 4\nlarge_share = 0.5\nsmall = "500ms"\nlarge = "1s"\n'
)
REFUSED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "GMET 0": (
        SERIAL,
        (*DRIVEN, "--set", "gmet=0s"),
        "gmet: '0s' is not allowed; it must be a duration from 1us",
    ),
    "slice 0": (
        SERIAL,
        (*DRIVEN, "--set", "slice=0s"),
        "slice: '0s' is not allowed; it must be a duration from",
    ),
    "an interval of 0": (
        SERIAL,
        (*DRIVEN, "--set", "class_interval=0s"),
        "class_interval: '0s' is not allowed",
    ),
    "more classes than shares": (
        SERIAL + "copies = 101\n",
        DRIVEN,
        "would be class 101 of its node, and 1% for each that is not scheduled leaves room for 100; limit",
    ),
    "MNOD 0": (
        SERIAL,
        ("--local", "csm", "--set", "mnod=0"),
        "mnod: '0' is not allowed; it must be a whole number",
    ),
    "tickets 0": (
        SERIAL + "tickets = 0\n",
        ("--local", "tickets"),
        "tickets: 0 is not allowed; it must be a whole",
    ),
    "a working set above memory": (
        SERIAL + "pages = 200\nworking_set = 0.75\n[memory]\npages = 100\n",
        ("--local", "csm"),
        "its working set of 150 pages is larger than the memory of a node, 100 pages",
    ),
    "a memory load that no rate reaches": (
        TASKS + "load = 400.0\n",
        (),
        "tasks.load: no arrival rate reaches a memory load of 400; the nearest is ",
    ),
}


@pytest.mark.quick(*(name for name in REFUSED if "no rate" not in name))
@pytest.mark.parametrize(("text", "options", "words"), REFUSED.values(), ids=list(REFUSED))
def test_it_is_told_in_one_line(
    molokini: Command, tmp_path: Path, text: str, options: tuple[str, ...], words: str
) -> None:
    path, table = tmp_path / "bad.toml", tmp_path / "jobs.csv"
    path.write_text(text)
    with interpreting():
        ran = molokini("coschedule", "run", path, *options, "--jobs", table)
    assert words in ran.err
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert not table.exists()
