"""What the example program gives: the right data for every pattern and number of tasks, or one line."""

import pytest

from exchange.patterns import PATTERNS, hops, partners
from exchange.work import sequential
from tests.kit.exchanging import SMALL, refused, result, run


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("tasks", [2, 3, 8])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_checksum_is_that_of_one_task_after_the_other(pattern: str, tasks: int) -> None:
    said = ("--tasks", tasks, "--pattern", pattern, "--seed", 7)
    found = result(*said, "--iterations", 6, "--rounds", 2, *SMALL)
    assert found["checksum"] == sequential(tasks, pattern, 7, rounds=12, units=3, words=5000)
    assert (found["tasks"], found["iterations"], found["message_bytes"]) == (tasks, 6, 40000)
    assert len(found["shares"]) == tasks
    for share in found["shares"]:
        assert sum(share.values()) == pytest.approx(1.0, abs=0.001)


@pytest.mark.deep
def test_messages_longer_than_any_buffer_of_the_kernel() -> None:
    said = ("--tasks", 3, "--pattern", "all-to-all", "--units", 0, "--bytes", 12 * 2**20)
    assert result(*said, "--iterations", 2, "--verify")["verified"]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("pattern", "rounds"), [("ring", 1), ("ring", 3), ("neighbour", 2), ("all-to-all", 1)]
)
def test_a_run_of_so_many_seconds_ends_for_all_tasks_at_once(pattern: str, rounds: int) -> None:
    said = ("--tasks", 4, "--pattern", pattern, "--rounds", rounds, *SMALL)
    found = result(*said, "--seconds", 0.1, "--verify")
    assert found["verified"]
    assert found["seconds"] >= 0.1
    assert found["iterations_per_s"] == pytest.approx(found["iterations"] / found["seconds"], rel=1e-3)


def test_every_bit_of_the_data_counts() -> None:
    args = {"tasks": 3, "pattern": "ring", "seed": 1, "rounds": 4, "units": 2, "words": 5}
    one = sequential(**args)  # type: ignore[arg-type]
    for name, other in (("pattern", "neighbour"), ("seed", 2), ("rounds", 5), ("units", 3), ("words", 6)):
        assert sequential(**{**args, name: other}) != one  # type: ignore[arg-type]


@pytest.mark.deep
def test_grain_and_ratio_become_work_and_messages() -> None:
    """How much depends on the machine; that more is asked for than the least does not."""
    found = result("--tasks", 2, "--grain", 0.01, "--ratio", "1:1", "--iterations", 3, "--verify")
    assert found["verified"]
    assert found["units"] > 1
    assert found["message_bytes"] > 8
    silent = result("--tasks", 2, "--grain", 0.01, "--ratio", "1:0", "--iterations", 3)
    assert silent["message_bytes"] == 8
    assert result("--tasks", 2, "--grain", 0.01, "--ratio", "0:1", "--iterations", 3)["units"] == 0


def test_a_job_has_a_task_for_each_processor() -> None:
    found = result("--iterations", 1, *SMALL, MOLOKINI_PROCESSORS="3", MOLOKINI_JOB_ID="41")
    assert (found["job"], found["tasks"]) == (41, 3)
    assert result("--tasks", 1, "--iterations", 2, *SMALL, "--verify", MOLOKINI_PROCESSORS="3")["tasks"] == 1


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("said", "line"),
    [
        (("--tasks", 65), "--tasks: 65 is not allowed; it must be 1 to 64"),
        (("--ratio", "3"), "--ratio: '3' is not allowed; it must be two numbers such as 3:1, not both 0"),
        (
            ("--ratio", "nan:1"),
            "--ratio: 'nan:1' is not allowed; it must be two numbers such as 3:1, not both 0",
        ),
        (("--grain", "-1"), "--grain: -1 is not allowed; it must be seconds above 0"),
        (("--units", 1), "--units and --bytes: one is not allowed without the other"),
        (("--units", 1, "--bytes", 12), "--bytes: 12 is not allowed; it must be a multiple of 8"),
        (
            ("--seconds", 1, "--twin"),
            "--twin: it needs --iterations, --grain and --ratio, not --seconds or --units",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_one_line(said: tuple[object, ...], line: str) -> None:
    assert refused(*said) == f"exchange: {line}"


def test_variables_that_cannot_be_are_refused_too() -> None:
    assert refused(MOLOKINI_PROCESSORS="many") == (
        "exchange: MOLOKINI_PROCESSORS: 'many' is not a number; say --tasks"
    )
    assert refused(MOLOKINI_RATE_SOCKET="/" + 200 * "x") == (
        "exchange: MOLOKINI_RATE_SOCKET: a path of 201 bytes; it must be 107 at most"
    )


@pytest.mark.deep
def test_a_time_that_no_message_takes_ends_the_run_with_one_line() -> None:
    ended = run("--tasks", 2, "--grain", 500, "--ratio", "0:1", "--iterations", 1)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert ended.stderr.startswith("exchange: task 0: --rounds: 1 needs messages of more than 64 MiB a round")


@pytest.mark.parametrize("tasks", range(1, 9))
@pytest.mark.parametrize("pattern", PATTERNS)
def test_who_sends_is_who_is_heard(pattern: str, tasks: int) -> None:
    sent = {(task, to) for task in range(tasks) for to in partners(pattern, task, tasks).to}
    heard = {(of, task) for task in range(tasks) for of in partners(pattern, task, tasks).of}
    assert sent == heard
    known = {0}
    for _ in range(hops(pattern, tasks)):
        assert len(known) < tasks
        known |= {to for task, to in sent if task in known}
    assert len(known) == tasks
