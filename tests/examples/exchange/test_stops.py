"""Tasks of the example that are stopped and continued, killed, or left alone by their launcher."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from exchange.work import sequential
from tests.examples.exchange.test_reports import reader, received
from tests.kit.exchanging import SMALL, Running, run, running
from tests.kit.waiting import DEADLINE_S, alive, state, waited

AtWork: TypeAlias = Callable[..., AbstractContextManager[Running]]
ENDLESS = ("--iterations", 10**9, *SMALL)


def _stopped_once(pid: int) -> bool:
    """Stop a task, see it stopped, let it go on; whether it was there."""
    until = time.monotonic() + DEADLINE_S
    try:
        os.kill(pid, signal.SIGSTOP)
        while (seen := state(pid)) not in "TZX":
            assert time.monotonic() < until, "it did not stop in time"
            time.sleep(0.0002)
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return False
    return seen == "T"


@pytest.fixture
def at_work(tmp_path: Path) -> Iterator[AtWork]:
    """The program beyond its first iteration, which it has reported."""
    with reader(tmp_path / "rate") as end:

        @contextmanager
        def begun(tasks: int, *options: object) -> Iterator[Running]:
            with running(tasks, *options, MOLOKINI_RATE_SOCKET=str(tmp_path / "rate")) as program:
                waited(lambda: bool(received(end)))
                yield program

        yield begun


@pytest.mark.deep
@pytest.mark.parametrize(("tasks", "pattern"), [(2, "ring"), (3, "all-to-all"), (5, "neighbour")])
def test_tasks_that_are_stopped_at_any_moment_give_the_same_checksum(tasks: int, pattern: str) -> None:
    """From their first instant on: some stops meet tasks that look for each other."""
    draw = random.Random(5)
    said = ("--pattern", pattern, "--iterations", 400, "--units", 30, "--bytes", 200_000)
    stops = 0
    with running(tasks, *said) as program:
        while program.process.poll() is None:
            stops += _stopped_once(draw.choice(program.tasks))
        code, out, errors = program.end()
    assert (code, errors) == (0, "")
    assert sequential(tasks, pattern, seed=1, rounds=400, units=30, words=25_000) in out
    assert stops > 20


@pytest.mark.deep
def test_all_tasks_stopped_together_go_on_together() -> None:
    with running(3, "--iterations", 300, *SMALL) as program:
        for _ in range(5):
            for pid in program.tasks:
                os.kill(pid, signal.SIGSTOP)
            waited(lambda: all(state(pid) in "TZX" for pid in program.tasks))
            for pid in reversed(program.tasks):
                os.kill(pid, signal.SIGCONT)
        code, out, _ = program.end()
    assert code == 0
    assert sequential(3, "ring", seed=1, rounds=300, units=3, words=5000) in out


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("pattern", ["ring", "all-to-all"])
@pytest.mark.parametrize(("task", "number"), [(0, signal.SIGKILL), (2, signal.SIGTERM)])
def test_a_task_that_is_killed_ends_all(
    at_work: AtWork, pattern: str, task: int, number: signal.Signals
) -> None:
    with at_work(3, "--pattern", pattern, *ENDLESS) as program:
        os.kill(program.tasks[task], number)
        assert program.end() == (1, "", f"exchange: task {task} was ended by {number.name}\n")
        assert not any(map(alive, program.tasks))


def test_a_task_that_is_killed_before_the_first_iteration_ends_all() -> None:
    with running(3, *ENDLESS) as program:
        os.kill(program.tasks[1], signal.SIGKILL)
        assert program.end() == (1, "", "exchange: task 1 was ended by SIGKILL\n")
        assert not any(map(alive, program.tasks))


@pytest.mark.deep
def test_a_task_that_is_killed_beside_one_that_is_stopped_ends_all(at_work: AtWork) -> None:
    with at_work(3, *ENDLESS) as program:
        os.kill(program.tasks[1], signal.SIGSTOP)
        waited(lambda: state(program.tasks[1]) == "T")
        os.kill(program.tasks[2], signal.SIGKILL)
        assert program.end() == (1, "", "exchange: task 2 was ended by SIGKILL\n")
        assert not any(map(alive, program.tasks))


def test_a_task_that_does_not_begin_in_time_ends_all() -> None:
    """No Python starts within a microsecond."""
    ended = run("--tasks", 3, "--deadline", 1e-6, *ENDLESS)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "exchange: task 0 has not begun within 1e-06 s; --deadline says how long\n"


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_launcher_that_is_told_to_end_ends_all(at_work: AtWork, number: signal.Signals) -> None:
    with at_work(3, *ENDLESS) as program:
        os.kill(program.process.pid, number)
        assert program.end() == (128 + number, "", f"exchange: ended by signal {int(number)}\n")
        assert not any(map(alive, program.tasks))


def test_a_launcher_that_is_killed_leaves_no_task(at_work: AtWork) -> None:
    with at_work(3, *ENDLESS) as program:
        os.kill(program.tasks[0], signal.SIGSTOP)
        os.kill(program.process.pid, signal.SIGKILL)
        assert program.end()[0] == -signal.SIGKILL
        waited(lambda: not any(map(alive, program.tasks)))
