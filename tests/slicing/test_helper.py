"""The slicer's loop on a clock that is turned by hand, with jobs that have no processes."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from molokini.slicing.helper import Slicer
from molokini.slicing.sliced import Sliced
from molokini.slicing.tree import Tree
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import RUNNING

PERIOD_NS = 1_000_000_000


class Watched(Tree):
    """Notes when its job is stopped and continued, and has no processes."""

    def __init__(self, name: str, rules: list[tuple[str, str]]) -> None:
        super().__init__(0, "nowhere")
        self._name, self._deeds = name, rules

    def stop(self) -> None:
        self._deeds.append((self._name, "stops"))

    def go(self) -> None:
        self._deeds.append((self._name, "goes"))

    def go_all(self) -> None:
        self._deeds.append((self._name, "goes"))


def job_of(folder: Path, name: str, window: tuple[int, int], rules: list[tuple[str, str]]) -> Sliced:
    """A job that its supervisor lets run, with one window in each second."""
    state = folder / name
    state.write_bytes(RUNNING + b"0")
    order = {"job": name, "state": str(state), "supervisor": 0, "procs": "nowhere", "fifo": False}
    job = Sliced({**order, "period": PERIOD_NS, "windows": [window], "origin": 0, "corrects": False})
    job._tree = Watched(name, rules)
    return job


@pytest.mark.parametrize("order", [("early", "late"), ("late", "early")])
def test_at_one_instant_all_stop_that_are_to_stop_before_any_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: Sequence[str]
) -> None:
    """Windows that meet: whichever job came first, no two of them compute at once."""
    half, rules, clock = PERIOD_NS // 2, list[tuple[str, str]](), [0]
    monkeypatch.setattr(time, "monotonic_ns", lambda: clock[0])
    windows = {"early": (0, half), "late": (half, PERIOD_NS)}
    slicer = Slicer(LeaseFile(str(tmp_path / "beat"), writes=True))
    slicer._jobs = {name: job_of(tmp_path, name, windows[name], rules) for name in order}
    slicer._act()
    assert sorted(rules) == [("early", "goes"), ("late", "stops")]
    for now_ns, stops, goes in ((half, "early", "late"), (PERIOD_NS, "late", "early")):
        clock[0] = now_ns
        rules.clear()
        slicer._act()
        assert rules == [(stops, "stops"), (goes, "goes")]
    for job in slicer._jobs.values():
        job.release()
