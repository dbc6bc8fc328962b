"""What the tests of a run cost: processor seconds by folder, and the dearest tests, printed at the end.

A test's cost is the processor time of its worker and of the programs that the worker waited for, from the
beginning of its setup to the end of its teardown. It says what a test costs whatever else the machine does;
the time on the clock stands beside it, since a test that waits costs a worker, not a processor.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kit.depth import without_group

DEAR_S = 5.0
"""Processor seconds from which a test needs ``@pytest.mark.dear(reason)``."""
LINES = 10
"""Tests that are named."""
_NAME = "cost"


@dataclass(frozen=True)
class Cost:
    """What one test cost, in seconds; why it may, if its mark says so."""

    test: str
    processor_s: float
    clock_s: float
    reason: str | None

    @property
    def folder(self) -> str:
        """Two levels below ``tests``."""
        return "/".join(self.test.split("::", maxsplit=1)[0].split("/")[1:3])


def _processor_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Figures:
    """Measures in each worker, gathers and prints where the session is reported."""

    def __init__(self, kept: Path | None) -> None:
        """Costs are also written to *kept*, as JSON, if it is given."""
        self.kept = kept
        self.costs: list[Cost] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note when the test begins."""
        item.stash[_BEGAN] = (_processor_s(), time.perf_counter())
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the cost into the report of the teardown, which travels from a worker to the session."""
        report = yield
        if call.when == "teardown" and _BEGAN in item.stash:
            processor_s, clock_s = item.stash[_BEGAN]
            mark = item.get_closest_marker("dear")
            reason = mark.args[0] if mark is not None else None
            cost = (_processor_s() - processor_s, time.perf_counter() - clock_s, reason)
            report.user_properties.append((_NAME, cost))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather; of a worker's report as of an own one."""
        if report.when == "teardown":
            for name, cost in report.user_properties:
                if name == _NAME and isinstance(cost, tuple | list):
                    processor_s, clock_s, reason = cost
                    self.costs.append(Cost(without_group(report.nodeid), processor_s, clock_s, reason))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the figures of a run of many tests."""
        if self.kept is not None:
            self.kept.write_text(json.dumps([vars(cost) for cost in self.costs], indent=0))
        if len(self.costs) > _MANY:
            terminalreporter.section("what the tests cost", sep="-")
            for line in lines(self.costs):
                terminalreporter.write_line(line)


_BEGAN = pytest.StashKey[tuple[float, float]]()
_MANY = 100
"""A run of fewer tests prints no figures."""


def lines(costs: list[Cost]) -> Iterator[str]:
    """The report: processor seconds by folder, the dearest tests, and those that need a mark."""
    folders: Counter[str] = Counter()
    for cost in costs:
        folders[cost.folder] += cost.processor_s  # type: ignore[assignment]
    yield f"{sum(folders.values()):8.0f} s of processor in {len(costs):,} tests; by folder:"
    for folder, processor_s in folders.most_common():
        if processor_s >= 1:
            yield f"{processor_s:8.0f} s  {folder}"
    dearest = sorted(costs, key=lambda cost: -cost.processor_s)
    yield "the dearest tests (processor seconds, seconds on the clock):"
    for cost in dearest[:LINES]:
        yield f"{cost.processor_s:8.1f} {cost.clock_s:6.1f}  {cost.test}"
    for cost in dearest:
        if cost.processor_s > DEAR_S and cost.reason is None:
            yield f"above {DEAR_S:g} s of processor without a mark that says why: {cost.test}"
