"""Reservations on particular nodes, and the terms under which one may use them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.model.reservations import Reservation, Terms, fitted, of_json
from molokini.policies import load_policy
from molokini.sim.replay import Options, Overrun, Replay
from molokini.workloads.workload import Workload
from tests.core.sim.test_reservations import work_of
from tests.kit.schedules import random_workload

NAMES = ("a", "b", "c", "d")
EVERYBODY: Mapping[str, tuple[str, ...]] = {}


def on(hosts: dict[str, int], start_s: float = 100.0, end_s: float = 200.0, **access: str) -> Reservation:
    who = {kind: tuple(names.split()) for kind, names in access.items()}
    name = f"r{start_s:g}-{'-'.join(hosts)}"
    return Reservation(name, sum(hosts.values()), start_s, end_s, who, Terms(hosts=hosts))


def replay_of(
    work: Workload,
    policy: str,
    *reservations: Reservation,
    nodes: bool = True,
    overrun: Overrun = Overrun.KILL,
    placement: str = "first-fit",
) -> Replay:
    machine = Machine.uniform(4, 4) if nodes else Machine.counted(16)
    options = Options(
        reservations=reservations,
        node_names=NAMES if nodes else (),
        overrun=overrun,
        placement=placement,
        interpreted=True,
    )
    return Replay(work, machine, load_policy(policy), options=options)


def starts(work: Workload, policy: str, *reservations: Reservation, nodes: bool = True) -> list[float]:
    replay = replay_of(work, policy, *reservations, nodes=nodes)
    replay.run()
    return [float(at) for at in replay.schedule().start_s]


OVER_CLUSTERS = ("fcfs-worstfit", "easy-worstfit", "conservative-worstfit")
POLICIES = ("fcfs", "easy", "conservative", "maui", *OVER_CLUSTERS)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_job_without_access_goes_round_reserved_nodes_or_waits(policy: str) -> None:
    ours = on({"a": 4, "b": 2}, user="7")
    for width, user, start_s in ((10, 1, 50.0), (11, 1, 200.0), (16, 7, 50.0)):
        assert starts(work_of((50.0, 60.0, width, user)), policy, ours) == [start_s]
    replay = replay_of(work_of((50.0, 60.0, 10, 1)), policy, ours)
    replay.run(60.0)
    t = replay.tables
    assert (t.nodes.total - t.nodes.free)[:, 0].tolist() == [0, 2, 4, 4]
    assert not t.barred.processors.any()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("taken", "width", "start_s"), [(2, 14, 110.0), (1, 14, 110.0), (1, 15, 200.0), (3, 13, 110.0)]
)
def test_what_is_used_of_a_node_is_kept_no_longer(
    policy: str, taken: int, width: int, start_s: float
) -> None:
    """Two of the four processors of a are user 7's: what he has of them counts, and the rest is kept."""
    work = work_of((100.0, 60.0, taken, 7), (110.0, 60.0, width, 1))
    assert starts(work, policy, on({"a": 2}, user="7")) == [100.0, start_s]


def test_what_runs_on_a_reserved_node_already_goes_on_and_takes_nothing_elsewhere() -> None:
    # The stranger should be over at 90, and runs on: nothing of node a can be kept from the others.
    first = work_of((0.0, 90.0, 4, 1), (150.0, 10.0, 12, 2), (310.0, 10.0, 13, 2))
    work = replace(first, run_s=np.array([300.0, 10.0, 10.0]))
    replay = replay_of(work, "maui", on({"a": 4}, 100.0, 400.0), overrun=Overrun.EXTEND)
    replay.run()
    assert list(replay.schedule().start_s) == [0.0, 150.0, 400.0]


def test_terms_deny_require_and_bound_the_length() -> None:
    base = Reservation("r", 16, 100.0, 200.0, {"user": ("7", "8")})

    def start(user: int, length_s: float, terms: Terms, access: Mapping[str, tuple[str, ...]]) -> float:
        one = replace(base, terms=terms, access=access)
        [at] = starts(work_of((150.0, length_s, 1, user)), "easy", one, nodes=False)
        return at

    short = {"duration": ("30",)}
    assert start(8, 10.0, Terms(denied={"user": ("8",)}), base.access) == 200.0
    assert start(7, 10.0, Terms(denied={"user": ("8",)}), base.access) == 150.0
    assert start(7, 31.0, Terms(required=short), base.access) == 200.0
    assert start(7, 30.0, Terms(required=short), base.access) == 150.0
    assert start(1, 30.0, Terms(required=short), base.access) == 200.0
    assert start(1, 30.0, Terms(required=short), EVERYBODY) == 150.0
    assert start(1, 30.0, Terms(), {**base.access, **short}) == 150.0


def test_shared_reservations_overlap_others_and_access_to_both_is_needed() -> None:
    first = Reservation("first", 10, 100.0, 200.0, {"user": ("7",)})
    shared = Reservation("shared", 12, 100.0, 200.0, {"user": ("8",)}, Terms(shared=True))
    # 16 - 12 are left for a stranger, not 16 - 10 - 12; who may use the first alone has those, too.
    for user, width, start_s in ((1, 4, 150.0), (1, 5, 200.0), (7, 4, 150.0), (7, 5, 200.0), (8, 6, 150.0)):
        assert starts(work_of((150.0, 10.0, width, user)), "easy", first, shared, nodes=False) == [start_s]


def test_what_is_shared_on_a_node_overlaps_what_is_kept_on_it() -> None:
    # On a 2 are kept for one and 2 shared for another: 2 are left for a stranger, who has no other node.
    kept = replace(on({"a": 2}, user="7"), name="kept")
    shared = replace(on({"a": 2}, user="8"), name="shared")
    shared = replace(shared, terms=replace(shared.terms, shared=True))
    elsewhere = on({"b": 4, "c": 4, "d": 4}, user="9")
    for width, start_s in ((2, 150.0), (3, 200.0)):
        assert starts(work_of((150.0, 10.0, width, 1)), "easy", kept, shared, elsewhere) == [start_s]


def test_who_comes_later_takes_what_is_left() -> None:
    partial = Terms(partial=True)
    first = Reservation("first", 10, 0.0, 100.0, terms=partial)
    second = Reservation("second", 10, 50.0, 150.0, terms=partial)
    third = Reservation("third", 10, 100.0, 200.0, terms=partial)
    assert [one.processors for one in fitted([first, second, third], 16)] == [10, 6, 10]
    assert fitted([first, replace(second, terms=Terms()), third], 16)[2].processors == 6
    listed = ({"a": 3}, {"a": 4, "b": 1})
    places = [replace(on(hosts), terms=Terms(hosts=hosts, partial=True)) for hosts in listed]
    [_, cut] = fitted(places, 8, {"a": 4, "b": 4})
    assert (cut.terms.hosts, cut.processors) == ({"a": 1, "b": 1}, 2)
    assert len(fitted([places[0], replace(places[0], start_s=50.0)], 8, {"a": 3})) == 1


def test_who_comes_later_on_nodes_leaves_room_for_who_may_be_anywhere() -> None:
    anywhere = Reservation("anywhere", 5, 100.0, 200.0, {})
    nodes = on({"a": 4, "b": 4})
    nodes = replace(nodes, terms=replace(nodes.terms, partial=True))
    [_, cut] = fitted([anywhere, nodes], 8, {"a": 4, "b": 4})
    assert (cut.processors, cut.terms.hosts) == (3, {"a": 3})
    assert len(fitted([replace(anywhere, processors=8), nodes], 8, {"a": 4, "b": 4})) == 1
    # At another time it has all of its nodes.
    [_, whole] = fitted([replace(anywhere, end_s=100.0, start_s=50.0), nodes], 8, {"a": 4, "b": 4})
    assert whole.processors == 8


def test_terms_go_through_json() -> None:
    terms = Terms({"user": ("1",)}, {"duration": ("3",)}, True, {"a": 2}, True)
    one = Reservation("r", 2, 1.0, 2.0, {"service": ("0",)}, terms)
    assert of_json(one.as_json()) == one


@st.composite
def places(draw: st.DrawFn) -> list[Reservation]:
    found = []
    for k in range(draw(st.integers(1, 3))):
        start_s, length_s = draw(st.integers(0, 300)), draw(st.integers(1, 200))
        hosts = draw(st.dictionaries(st.sampled_from(NAMES), st.integers(1, 4), min_size=1))
        who: Mapping[str, tuple[str, ...]]
        who = draw(st.sampled_from([{}, {"user": ("0",)}, {"user": ("1", "2")}]))
        end_s = float(start_s + length_s)
        found.append(
            Reservation(f"r{k}", sum(hosts.values()), float(start_s), end_s, who, Terms(hosts=hosts))
        )
    return found


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), reservations=places())
def test_no_job_runs_on_reserved_processors_of_a_node_without_access(
    policy: str, seed: int, reservations: list[Reservation]
) -> None:
    work = random_workload(20, 16, seed)
    work = replace(work, user=np.random.default_rng(seed).integers(0, 4, len(work)))
    replay = replay_of(work, policy, *reservations)
    replay.run()
    schedule = replay.schedule()
    assert (np.isfinite(schedule.end_s) | schedule.refused_rows).all()
    again = replay_of(work, policy, *reservations)
    edges = {float(at) for at in schedule.start_s[~schedule.refused_rows]}
    edges |= {one.start_s for one in reservations}
    for at_s in sorted(edges):
        again.run(at_s)
        _assert_kept(again, work, reservations, at_s)


def _assert_kept(replay: Replay, work: Workload, reservations: list[Reservation], at_s: float) -> None:
    t = replay.tables
    for one in reservations:
        if not one.start_s <= at_s < one.end_s:
            continue
        strangers = dict.fromkeys(NAMES, 0)
        for row in t.queue.running[: t.queue.running_count]:
            if str(int(work.user[t.jobs.serial[row]])) in one.access.get("user", ()):
                continue
            entry = t.jobs.entries[row]
            while entry >= 0:
                strangers[NAMES[t.entries.node[entry]]] += int(t.entries.tasks[entry])
                entry = t.entries.next[entry]
        for name, kept in one.terms.hosts.items():
            assert strangers[name] <= 4 - kept, f"{strangers[name]} on {name} at {at_s}"


@pytest.mark.parametrize("policy", ["easy", "conservative", "maui"])
@settings(max_examples=30, deadline=None)
@given(reservations=places(), width=st.integers(1, 16), length_s=st.integers(1, 150))
def test_a_boundary_wakes_the_iteration_that_starts_who_waited_for_it(
    policy: str, reservations: list[Reservation], width: int, length_s: int
) -> None:
    work = work_of((10.0, float(length_s), width, 3))

    def room(start_s: float) -> int:
        kept = dict.fromkeys(NAMES, 0)
        begins = [one.start_s for one in reservations]
        inside = [start_s, *(at_s for at_s in begins if start_s < at_s < start_s + length_s)]
        for at_s in inside:
            lasting = [one for one in reservations if one.start_s <= at_s < one.end_s]
            for name in NAMES:
                there = sum(one.terms.hosts.get(name, 0) for one in lasting)
                kept[name] = max(kept[name], min(4, there))
        return 16 - sum(kept.values())

    instants = sorted({10.0, *(one.end_s for one in reservations if one.end_s > 10.0)})
    assert starts(work, policy, *reservations) == [next(at for at in instants if room(at) >= width)]
