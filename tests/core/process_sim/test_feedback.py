"""Feedback control in the process-level engine: slices, deadlines, targets and the search for periods."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from molokini.model.errors import BadValue
from molokini.process_sim.accounts import check_invariants
from molokini.process_sim.iterating import Iterating
from molokini.process_sim.policies.feedback import NEEDS
from molokini.process_sim.rates import Rated, rated_jobs, totals
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, Dist, Job, Prices, Process, S, Scenario, Settings, Step
from molokini.process_sim.scenario_files import scenario_of
from molokini.process_sim.words import Draw, Op

FREE = Prices(0, 0, 0, 0, 0, switch=0, interrupt=0, move=0, check=0)
HALF = ((0, 500_000),)


def run(jobs: Sequence[Job], seed: int = 1, nodes: int = 4, **given: object) -> ScenarioReplay:
    settings = Settings("feedback", given=NEEDS.values("set", given))
    return ScenarioReplay(Scenario("rates", nodes, jobs, seed=seed, prices=FREE, settings=settings)).finish()


def application(name: str = "a", targets: Sequence[tuple[int, int]] = HALF, **more: Any) -> Job:
    made = replace(Iterating(4, 2 * S, rounds=4, iterations=10), **more)
    return made.job(name, FREE, targets)


def only(done: ScenarioReplay) -> Rated:
    assert not check_invariants(done)
    (found,) = rated_jobs(done)
    return found


def test_alone_an_application_goes_at_its_target_and_nothing_is_ordered() -> None:
    found = only(run([application()], phases="alike"))
    # The first iteration ends inside a slice, and so is as long as its slices say: 1.9 of 4 s is too soon.
    assert found.rate[1:] == pytest.approx([50.0] * 9, abs=0.01)
    assert (found.orders, found.misses) == (0, 0)


def test_a_target_that_changes_is_met_by_the_next_iterations() -> None:
    found = only(run([application(targets=((0, 500_000), (4, 300_000), (7, 700_000)))]))
    assert [one.target for one in found.stretches] == [50, 30, 70]
    assert all(one.response is not None and one.response <= 3 for one in found.stretches)
    assert found.slice_s[-1] / found.period_s[-1] == pytest.approx(0.7)


def test_two_applications_share_each_cpu_by_deadline_without_a_miss() -> None:
    done = run([application("a", ((0, 600_000),)), application("b", ((0, 400_000),))], first_period="100ms")
    assert not check_invariants(done)
    for one in rated_jobs(done):
        assert (one.misses, one.stretches[0].within_after) == (0, 1.0)


def test_a_third_waits_until_there_is_room() -> None:
    jobs = [application(name, ((0, 400_000),), iterations=2) for name in "abc"]
    found = rated_jobs(run(jobs))
    assert found[2].at_s[0] > max(found[0].at_s[-1], found[1].at_s[-1]) - 4.0
    assert all(one.misses == 0 for one in found)


def test_a_change_without_room_is_refused_and_changes_nothing() -> None:
    jobs = [application("a", ((0, 500_000), (4, 800_000))), application("b", ((0, 400_000),))]
    first, _ = rated_jobs(run(jobs))
    assert (first.refused, set(first.target)) == (1, {50.0})


@pytest.mark.parametrize(("priority", "least", "most"), [(True, 49.0, 51.0), (False, 20.0, 35.0)])
def test_a_busy_loop_beside_one_process(priority: bool, least: float, most: float) -> None:
    loop = Job("loop", [Process((Step(Op.COMPUTE, Dist(Draw.CONSTANT, 60 * S)),), 0)])
    found = rated_jobs(run([application(), loop], priority=priority))[0]
    assert least < found.stretches[0].mean < most


def test_budgets_of_processor_time_give_what_was_blocked_back() -> None:
    uneven: dict[str, Any] = {"uneven": (1.0, 1.0, 0.5, 0.5)}
    wall, cpu = (only(run([application(**uneven)], budget=how)).stretches[0].mean for how in ("wall", "cpu"))
    assert cpu >= wall > 49.0


def test_misses_are_counted_and_slow_an_application_down() -> None:
    found = only(run([application()], miss_chance=0.5, miss="20ms", control=False))
    assert found.misses > 50
    assert found.missed_s == pytest.approx(found.misses * 0.02)
    assert found.stretches[0].mean < 49


def drifting(rounds: int, **given: object) -> Rated:
    """Two nodes in step at first, one slice in twenty 5 ms late."""
    made = Iterating(2, 2 * S, rounds=rounds, iterations=100).job("a", FREE, HALF)
    late: dict[str, Any] = {"miss_chance": 0.05, "miss": "5ms", "phases": "alike"}
    return only(run([made], nodes=2, **{**late, **given}))


def test_what_is_late_for_good_drifts_apart_and_slows_a_tightly_coupled_program() -> None:
    drifts = drifting(100, clock="relative", control=False)
    recovers = drifting(100, clock="absolute", control=False)
    assert max(drifts.apart_s) > 0.03 > max(recovers.apart_s)
    assert min(drifts.rate) < 40 < 46 < min(recovers.rate)
    # A round as long as a slice needs one message from the slice before, whenever that was.
    assert min(drifting(20, clock="relative", control=False).rate) > 45


def test_orders_bring_slices_that_drift_apart_together() -> None:
    alone, controlled = (drifting(100, clock="relative", control=control) for control in (False, True))
    assert 0 < controlled.orders < 100
    assert max(controlled.apart_s[1:]) < max(alone.apart_s) / 2
    assert controlled.stretches[0].mean > alone.stretches[0].mean + 3


def test_one_late_slice_is_followed_for_as_long_as_it_lasts() -> None:
    one: dict[str, object] = {"miss_chance": 0.0, "miss_at": "41s", "miss": "30ms", "control": False}
    drifts, recovers = (drifting(100, clock=clock, **one) for clock in ("relative", "absolute"))
    assert drifts.misses == recovers.misses == 1
    assert [round(one, 3) for one in drifts.apart_s[:2]] == [0, 0]
    assert {round(one, 3) for one in drifts.apart_s[12:]} == {0.03}
    assert max(recovers.apart_s[12:]) < 0.001
    assert min(recovers.rate[12:]) > 49 > max(drifts.rate[12:])


def test_a_task_is_interrupted_by_one_with_a_shorter_period() -> None:
    long = application("long", ((0, 300_000),))
    # Its iterations end in slices, so that its rate is off and its period shortened.
    short = application("short", ((0, 300_000),), iterations=40, iteration_ns=300 * MS)
    for control in (False, True):
        beside = rated_jobs(run([long, short], step="60ms", threshold=0.005, control=control))[0]
        # Among equal periods what is released first has the earlier deadline.
        assert (beside.interrupted > 0) == control


def test_orders_reach_all_nodes_and_only_when_rates_are_off() -> None:
    done = run([application(iteration_ns=400 * MS, iterations=30)], threshold=0.001)
    assert totals(done)["orders_to_nodes"] == 4 * only(done).orders > 0


def test_the_disk_makes_it_faster_than_its_target() -> None:
    assert only(run([application(disk_ns=S)], control=False)).stretches[0].mean > 55


@pytest.mark.parametrize(
    "more",
    [
        {"ratio": "1"},
        {"ratio": "0:0"},
        {"rate": "0%"},
        {"rate": "0.5/s"},
        {"rate": "50%", "changes": ["0: 30%"]},
        {"rate": "50%", "changes": ["5: 30%", "4: 20%"]},
        {"changes": ["5: 30%"]},
        {"uneven": [1.0]},
        {"iteration": "0s"},
    ],
)
def test_what_a_scenario_cannot_say(more: dict[str, Any]) -> None:
    with pytest.raises(BadValue):
        scenario_of({"job": [{"kind": "iterating", **more}], "nodes": 4}, "file.toml")


def test_a_rendezvous_waits_for_the_receiver() -> None:
    found = only(run([application(rendezvous=True)]))
    assert 40 < found.stretches[0].mean <= 51
