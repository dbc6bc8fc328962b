"""Arriving jobs: as many, as long and as wide as their loads say, whatever the distribution of their work."""

from dataclasses import replace
from fractions import Fraction

import pytest

from molokini.process_sim.arriving import Arrivals, arriving_jobs
from molokini.process_sim.scenario import MS, Dist, Job, Pipeline, Prices, S
from molokini.process_sim.words import Draw, Op
from tests.kit.processes import FREE

MEAN = 20 * S
WORKS = [
    Dist(Draw.CONSTANT, MEAN),
    Dist(Draw.EXPONENTIAL, MEAN),
    Dist(Draw.UNIFORM, MEAN // 2, MEAN + MEAN // 2),
    Dist(Draw.ERLANG, MEAN, 4),
    Dist(Draw.ERLANG, MEAN, 200),
]


def best_effort(work: Dist, seed: int = 1) -> list[Job]:
    made = Arrivals(0.0, 0.5, 4000 * S, be_work=work, be_compute=Dist(Draw.CONSTANT, 10 * MS), io_chance=0.0)
    return arriving_jobs(made, 8, seed, Prices())


def rounds(jobs: list[Job]) -> list[int]:
    return [step.count for job in jobs for step in job.processes[0].program if step.op is Op.LOOP]


@pytest.mark.parametrize("work", WORKS, ids=str)
def test_work_has_its_mean_and_its_spread(work: Dist) -> None:
    found = rounds(best_effort(work))
    # Rate 0.5 / (20 s * 5 / 8) a second for 4,000 s.
    assert 120 < len(found) < 200
    mean = sum(found) / len(found)
    spread = (sum((one - mean) ** 2 for one in found) / len(found)) ** 0.5 / mean
    assert mean == pytest.approx(2000, rel=0.25)
    wanted = {Draw.CONSTANT: 0.0, Draw.EXPONENTIAL: 1.0, Draw.UNIFORM: 0.29}.get(
        work.kind, work.b**-0.5 if work.b else 0
    )
    assert spread == pytest.approx(wanted, abs=0.2 * wanted)


def test_no_two_jobs_share_what_they_drew() -> None:
    for work in WORKS[1:]:
        found = rounds(best_effort(work))
        assert len(set(found)) > 0.8 * len(found)
        assert found != rounds(best_effort(work, seed=2))


def test_how_many_are_expected_is_how_many_come() -> None:
    made = Arrivals(0.6, 0.5, 20_000 * S, Pipeline(duration_ns=60 * S), stages=5, be_work=WORKS[3])
    jobs = arriving_jobs(made, 8, 1, Prices())
    processes, channels = made.expected(8)
    assert sum(len(job.processes) for job in jobs) == pytest.approx(processes, rel=0.1)
    assert sum(len(job.processes) ** 2 for job in jobs) == pytest.approx(channels, rel=0.2)
    assert replace(made, rt_load=0.0, be_load=0.0).expected(8) == (0, 0)


def test_rates_are_the_loads_over_what_a_job_brings() -> None:
    """A pipeline uses a fifth of 4 of 8 CPUs for 100 s; a best-effort job has 5 processes of 50 s."""
    pipeline = Pipeline(duration_ns=100 * S, frame_ns=Fraction(20 * MS))
    made = Arrivals(0.5, 0.25, 1000 * S, pipeline, (2 * MS, 6 * MS), 4, be_work=Dist(Draw.CONSTANT, 50 * S))
    assert made.rt_rate(8) == pytest.approx(0.5 / (100 * (1 / 5) * 4 / 8))
    assert made.be_rate(8) == pytest.approx(0.25 / (50 * 5 / 8))
    # A stage on each node where no number is given.
    assert replace(made, stages=None).rt_rate(8) == pytest.approx(0.5 / (100 * (1 / 5)))


def test_jobs_are_of_any_width_from_two_to_all_nodes_and_frames_of_any_work_in_their_range() -> None:
    made = Arrivals(0.0, 0.5, 40_000 * S, be_work=Dist(Draw.CONSTANT, MEAN), io_chance=0.0)
    widths = [len(one.processes) for one in arriving_jobs(made, 8, 1, Prices())]
    assert set(widths) == set(range(2, 9))
    assert sum(widths) / len(widths) == pytest.approx(5.0, abs=0.15)
    made = Arrivals(0.5, 0.0, 20_000 * S, zeta_ns=(2 * MS, 6 * MS), stages=5)
    zetas = [process.zeta_ns for one in arriving_jobs(made, 8, 1, FREE) for process in one.processes]
    assert 2 * MS <= min(zetas) < 2.2 * MS
    assert 5.8 * MS < max(zetas) <= 6 * MS
    assert sum(zetas) / len(zetas) == pytest.approx(4 * MS, rel=0.1)
