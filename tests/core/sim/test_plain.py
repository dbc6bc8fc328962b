"""Plain replays run on an engine of which much was left out: nothing differs, and others do not run on it."""

from typing import Any

import pytest

from molokini.compiled.compilation import interpreted
from molokini.cycle.entries import PLAIN
from molokini.model.banks import Bank, Debit
from molokini.model.machine import Machine, Node
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.sim import replay as replays
from molokini.sim.agenda import PLAIN_AGENDA
from molokini.sim.compiled import compiled_engine
from molokini.sim.replay import Replay, Ties
from molokini.workloads.synthetic import benchmark_workload
from tests.kit.every_policy import Way, every_way
from tests.kit.maui import maui
from tests.kit.policies import IN_ROWS
from tests.kit.replays import outcome, prepared
from tests.kit.workloads import Job

JOBS = [Job(0, 10, 6), Job(1, 10, 6), Job(2, 5, 2), Job(3, 30, 1), Job(4, 3, 8)]


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "ps"])
def test_the_same_comes_of_it_on_the_engine_for_all(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = benchmark_workload(jobs=2000, load=0.95, seed=3)
    plain = Replay(workload, Machine.counted(1024), load_policy(policy))
    assert plain.plain
    plain.run()
    monkeypatch.setattr(replays, "is_plain", lambda agenda, tables: False)
    general = Replay(workload, Machine.counted(1024), load_policy(policy))
    general.run()
    assert outcome(plain.schedule()) == outcome(general.schedule())
    assert plain.schedule().info == general.schedule().info


NODES = Machine.of_nodes([Node({Resource.PROCESSORS: 4.0}), Node({Resource.PROCESSORS: 4.0})])


@pytest.mark.parametrize(
    ("machine", "options"),
    [
        (NODES, {}),
        (8, {"facts": [AgendaEvent(5, EventKind.CANCELLED, 1)]}),
        (8, {"overrun": "extend"}),
        (8, {"ties": Ties.EACH}),
    ],
)
def test_whoever_needs_what_was_left_out_is_not_plain(machine: Any, options: dict[str, Any]) -> None:
    assert prepared(JOBS, "easy", 8).plain
    assert not prepared(JOBS, "easy", machine, **options).plain


@pytest.mark.skipif(interpreted(), reason="nothing is compiled")
def test_a_replay_that_is_plain_no_longer_goes_on_with_the_engine_for_all() -> None:
    replay = prepared(JOBS, "fcfs", 8)
    assert not replay.run(2.0)
    assert replay._engine is compiled_engine(plain=True)
    replay.tables.cycle.explain = 1
    assert not replay.run(3.0)
    assert replay._engine is compiled_engine(plain=False)
    assert replay.tables.reasons.rule.any(), "it is asked for reasons now"


def test_what_is_left_out_are_numbers_of_the_tables_and_the_agenda() -> None:
    replay = prepared(JOBS, "fcfs", 8)
    for struct, names in ((replay.tables, PLAIN), (replay.agenda, PLAIN_AGENDA)):
        for name in names:
            part, _, number = name.rpartition(".")
            owner = getattr(struct, part) if part else struct
            setattr(owner, number, 1)
            assert not replay.plain, name
            setattr(owner, number, 0)
    assert replay.plain


def test_with_a_bank_it_is_not_plain_before_anybody_pays() -> None:
    assert maui(JOBS).plain
    assert not maui(JOBS, bank=Bank(Debit.WALL, True, "", {"p1": 100})).plain


@pytest.mark.parametrize("way", every_way(None), ids=lambda way: way.name)
def test_what_is_zero_stays_so(way: Way) -> None:
    """The engine asks between runs alone: what it left out must not be needed before it returns."""
    if not way.policy:
        pytest.skip("from a file: it uses the verbs of the others")
    options: dict[str, Any] = {"parameters": way.vector}
    replay = prepared(JOBS, way.policy, 8, way.values, interpreted=True, **options)
    assert replay.plain != (way.policy in IN_ROWS), "rows are for all replays alone"
    plain = replay.plain
    replay.run()
    assert replay.plain == plain
