"""Process-level scenarios that are drawn: parallel loops of all patterns, and both classes arriving."""

from hypothesis import strategies as st

from molokini.process_sim.arriving import Arrivals
from molokini.process_sim.kinds import PATTERNS, looping
from molokini.process_sim.scenario import MS, US, Dist, Job, Pipeline, Process, Scenario, Settings
from molokini.process_sim.scenario_files import Source
from molokini.process_sim.words import Draw

S = 1000 * MS


def loops(
    sizes: list[int], pattern: str, grain_us: int, rounds: int, io: float, skew: float, every_us: int
) -> list[Job]:
    found = []
    for number, size in enumerate(sizes):
        grain = Dist(Draw.EXPONENTIAL, grain_us * US)
        times = (Dist(Draw.UNIFORM, 100 * US, 3 * MS), io)
        programs = looping(size, grain, PATTERNS[pattern], 1000, rounds, times, skew)
        found.append(Job(f"J{number}", [Process(one) for one in programs], number * every_us * US))
    return found


SCENARIOS = st.builds(
    lambda sizes, pattern, grain, rounds, io, skew, every, nodes, seed: Scenario(
        "S", nodes, loops(sizes, pattern, grain, rounds, io, skew, every), seed=seed, until_ns=20 * S
    ),
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.sampled_from(sorted(PATTERNS)),
    st.sampled_from([50, 700, 2500]),
    st.integers(1, 8),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([0, 137, 1000]),
    st.integers(1, 4),
    st.integers(0, 1000),
)


def mixed(scheme: str, **given: object) -> Scenario:
    arrivals = Arrivals(
        rt_load=0.8,
        be_load=0.4,
        for_ns=S,
        pipeline=Pipeline(frames=5, duration_ns=S // 2, patience_ns=S // 4),
        be_work=Dist(Draw.ERLANG, S // 8, 2),
        zeta_ns=(8 * MS, 12 * MS),
    )
    made = Settings(scheme=scheme, row_quantum_ns=50 * MS, cycle_ns=300 * MS, **given)  # type: ignore[arg-type]
    empty = Scenario("mix", 4, [], seed=5, until_ns=S, settings=made)
    return Source(empty, arrivals).made()
