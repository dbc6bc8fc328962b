"""A line a minute about a long run: how many tests have ended, which have failed, what is running."""

import time
from dataclasses import dataclass, field
from typing import Final

import pytest

from tests.kit.depth import without_group

EVERY_S: Final = 60.0
_LONGEST: Final = 3
"""Running tests that a line names, the longest first."""


@dataclass
class Progress:
    """Counts where the reports are gathered, and writes a line with the first one after each minute."""

    terminal: pytest.TerminalReporter
    every_s: float = EVERY_S
    total: int = 0
    ended: int = 0
    failed: int = 0
    running: dict[str, float] = field(default_factory=dict)
    began_s: float = field(default_factory=time.monotonic)
    next_s: float = field(init=False)

    def __post_init__(self) -> None:
        """The first line comes after a minute."""
        self.next_s = self.began_s + self.every_s

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers the session itself has collected."""
        self.total = len(session.items) or self.total

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers each has collected the same."""
        self.total = len(ids)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.running[without_group(nodeid)] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """A test has ended."""
        self.running.pop(without_group(nodeid), None)
        self.ended += 1
        now_s = time.monotonic()
        if now_s >= self.next_s:
            self.next_s = now_s + self.every_s
            self.terminal.write_line(self.line(now_s))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A failure is named at once."""
        if report.failed:
            self.failed += 1
            self.terminal.write_line(f"failed: {report.nodeid} ({report.when})")

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No letter for a test that passed or was skipped: a run has thousands."""
        if report.passed:
            return ("passed" if report.when == "call" else "", "", "PASSED")
        return ("skipped", "", "SKIPPED") if report.skipped else None

    def line(self, now_s: float) -> str:
        """What a person who waits reads."""
        minutes, seconds = divmod(int(now_s - self.began_s), 60)
        longest = sorted(self.running.items(), key=lambda entry: entry[1])[:_LONGEST]
        running = ", ".join(f"{test} ({now_s - since_s:.0f} s)" for test, since_s in longest)
        failed = f", {self.failed} failed" if self.failed else ""
        return (
            f"{minutes:3d}:{seconds:02d}  {self.ended:,} of {self.total:,} tests{failed}; running: {running}"
        )
