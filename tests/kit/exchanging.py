"""The example program of examples/exchange, run with small grains."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.kit.waiting import DEADLINE_S, children_of, waited

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "exchange"
COMMAND = (sys.executable, str(PROGRAM))
SMALL = ("--units", "3", "--bytes", "40000")


def environment(**more: str) -> dict[str, str]:
    """Of a program that is no job, but for what *more* says."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MOLOKINI_")} | more


def run(*options: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """The program from start to end."""
    return subprocess.run(
        [*COMMAND, *map(str, options)],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )


def result(*options: object, **variables: str) -> dict[str, Any]:
    """What a run that goes well says."""
    ended = run(*options, **variables)
    assert (ended.returncode, ended.stderr) == (0, "")
    return one_line(ended.stdout)


def one_line(text: str) -> dict[str, Any]:
    """The one line of JSON that a run prints."""
    assert text.count("\n") == 1
    found: dict[str, Any] = json.loads(text)
    return found


def refused(*options: object, **variables: str) -> str:
    """The line with which the program refuses its options."""
    ended = run(*options, **variables)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    return ended.stderr.rstrip("\n")


class Running:
    """The program at work."""

    def __init__(self, process: "subprocess.Popen[str]", tasks: int) -> None:
        self.process = process
        waited(lambda: process.poll() is not None or len(children_of(process.pid)) == tasks)
        self.tasks = children_of(process.pid)
        assert len(self.tasks) == tasks

    def end(self) -> tuple[int, str, str]:
        """Its exit code, output and errors, when it has ended."""
        out, errors = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, out, errors


@contextmanager
def running(tasks: int, *options: object, **variables: str) -> Iterator[Running]:
    """The program with its tasks begun; ended at the latest after the test."""
    process = subprocess.Popen(
        [*COMMAND, "--tasks", str(tasks), *map(str, options)],
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Running(process, tasks)
    finally:
        for pid in [process.pid, *children_of_any(process.pid)]:
            if process.poll() is None:
                os.kill(pid, signal.SIGKILL)
        process.communicate()


def children_of_any(pid: int) -> list[int]:
    """The children of a process that may have ended."""
    try:
        return children_of(pid)
    except OSError:
        return []
