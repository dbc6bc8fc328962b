"""Arriving jobs: as many, as long and as wide as their loads say, whatever the distribution of their work."""

from dataclasses import replace

import pytest

from molokini.nodes.arriving import Arrivals, arriving_jobs
from molokini.nodes.scenario import MS, Dist, Job, Pipeline, Prices, S
from molokini.nodes.words import Draw, Op

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
