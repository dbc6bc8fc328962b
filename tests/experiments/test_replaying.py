"""At a cold start engine and policy are compiled beside each other; else nobody is asked to."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from molokini.compiled.compilation import is_kept
from molokini.experiments import replaying
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.compiled import plain_run
from molokini.sim.replay import Replay
from molokini.workloads.synthetic import benchmark_workload


@pytest.mark.parametrize("kept", [True, False])
def test_only_a_cold_start_takes_two_processes(monkeypatch: pytest.MonkeyPatch, kept: bool) -> None:
    begun: list[Callable[[], object]] = []

    @contextmanager
    def noted(work: Callable[[], object]) -> Iterator[None]:
        begun.append(work)
        yield

    monkeypatch.setattr(replaying, "beside", noted)
    monkeypatch.setattr(replaying, "is_engine_kept", lambda plain: kept)
    replay = Replay(benchmark_workload(jobs=10), Machine.counted(1024), load_policy("fcfs"))
    replaying.compile_both(replay)
    assert begun == ([] if kept or replay.options.interpreted else [replay.prepare_policy])
    assert replay.run()


def test_what_nobody_has_compiled_is_not_kept() -> None:
    Replay(benchmark_workload(jobs=10), Machine.counted(1024), load_policy("fcfs")).prepare()
    assert is_kept(plain_run)
    assert not is_kept(test_what_nobody_has_compiled_is_not_kept)
