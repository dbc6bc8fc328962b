"""What a run of tests says at its end, and each minute."""

import io

import pytest

from tests.kit.figures import DEAR_S, Cost, lines
from tests.kit.progress import Progress

COSTS = [
    Cost("tests/core/sim/test_a.py::test_x", 6.0, 7.0, None),
    Cost("tests/core/sim/test_a.py::test_y", 8.0, 9.0, "a whole log"),
    Cost("tests/app/test_b.py::test_z", 0.5, 30.0, None),
]


def test_folders_and_dearest_tests_are_named_by_what_they_cost() -> None:
    said = list(lines(COSTS))
    assert said[0].split() == ["14", "s", "of", "processor", "in", "3", "tests;", "by", "folder:"]
    assert said[1].split() == ["14", "s", "core/sim"]
    assert [line.split() for line in said[3:6]] == [
        ["8.0", "9.0", "tests/core/sim/test_a.py::test_y"],
        ["6.0", "7.0", "tests/core/sim/test_a.py::test_x"],
        ["0.5", "30.0", "tests/app/test_b.py::test_z"],
    ]


def test_a_dear_test_without_a_reason_is_named() -> None:
    assert list(lines(COSTS))[-1].endswith("::test_x")
    above = [line for line in lines(COSTS) if line.startswith(f"above {DEAR_S:g} s")]
    assert len(above) == 1, "the other dear one has a reason"


def test_a_line_says_how_far_the_run_is_and_what_runs_longest(request: pytest.FixtureRequest) -> None:
    progress = Progress(pytest.TerminalReporter(request.config, io.StringIO()), total=3000, began_s=100.0)
    for since_s, test in enumerate(("a", "b", "c", "d")):
        progress.running[test] = 150.0 + since_s
    progress.ended = 1234
    assert progress.line(190.0) == "  1:30  1,234 of 3,000 tests; running: a (40 s), b (39 s), c (38 s)"
    progress.failed = 2
    assert "1,234 of 3,000 tests, 2 failed; " in progress.line(190.0)
