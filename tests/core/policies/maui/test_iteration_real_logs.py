"""Maui reduced to policies that are known, on logs of real machines, job by job."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload

LOGS = Path(__file__).parents[5] / "shared" / "data"
ALL = sorted(path.name for path in LOGS.glob("*.swf.gz")) or ["absent"]


@cache
def log(name: str) -> Workload:
    """The log of this name, or the end of the test."""
    if not (LOGS / name).exists():
        pytest.skip("../shared/data is absent")
    return read_workload(LOGS / name)


def replayed(workload: Workload, policy: str, **given: str) -> Replay:
    """The whole log under *policy*, parameters as they are typed."""
    loaded = load_policy(policy)
    machine = Machine.counted(workload.machine_processors or int(workload.processors.max()))
    replay = Replay(workload, machine, loaded, loaded.declaration.values(given))
    assert replay.run()
    return replay


def same(one: Replay, other: Replay) -> bool:
    return np.array_equal(one.schedule().start_s, other.schedule().start_s, equal_nan=True)


@pytest.mark.dear("heads of real logs, by two policies")
@pytest.mark.deep
@pytest.mark.parametrize("name", ALL)
def test_by_queue_time_and_without_backfill_it_is_fcfs(name: str) -> None:
    assert same(replayed(log(name), "fcfs"), replayed(log(name), "maui", backfill="none"))


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("name", ALL)
def test_with_one_reservation_and_windows_in_one_it_is_easy(name: str) -> None:
    assert same(replayed(log(name), "easy"), replayed(log(name), "maui", windows="merged"))


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("name", ALL)
def test_without_reservations_and_windows_in_one_it_is_firstfit(name: str) -> None:
    mine = replayed(log(name), "maui", windows="merged", reservation="never")
    assert same(replayed(log(name), "firstfit"), mine)


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("name", ALL)
def test_by_its_own_windows_the_head_keeps_its_promise(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    easy, mine = replayed(log(name), "easy").schedule(), replayed(log(name), "maui")
    started, promised = mine.schedule().start_s, mine.agenda.results.first_reserved_s
    assert (started <= promised)[np.isfinite(promised)].all()
    assert np.isfinite(promised).any()
    means = [float(np.nanmean(s - log(name).submit_s)) for s in (easy.start_s, started)]
    with capsys.disabled():
        change = 100 * (means[1] / means[0] - 1)
        print(f"\n{name}: mean wait {means[0]:.0f} s under easy, {change:+.1f}% under maui")
