"""Assignments to hosts, migration by age, and bands of priority: what each promises."""

from collections.abc import Mapping

import numpy as np
import pytest

from molokini.experiments import simulate
from molokini.model.policy import Value
from molokini.workloads.workload import Floats
from tests.kit.replays import finished
from tests.kit.workloads import Job

JOBS = [Job(1.5 * k, float(1 + (k * k) % 17), number=k) for k in range(1, 41)]


def ends(
    policy: str, values: Mapping[str, Value], jobs: list[Job] | None = None, processors: int = 2
) -> Floats:
    replay = finished(JOBS if jobs is None else jobs, policy, processors, values, interpreted=True)
    return replay.schedule().end_s


def test_least_work_left_is_one_queue_for_serial_jobs() -> None:
    assert ends("least-work-left", {"hosts": 2}) == pytest.approx(ends("fcfs", {}))
    assert ends("least-work-left", {"hosts": 4}, processors=4) == pytest.approx(
        ends("fcfs", {}, processors=4)
    )


@pytest.mark.parametrize("cutoffs", [(), (4.0,), (3.0, 9.0)])
def test_sita_u_is_sita_e_with_other_cutoffs(cutoffs: tuple[float, ...]) -> None:
    one, two = (ends(name, {"cutoffs": cutoffs}, processors=6) for name in ("sita-u", "sita-e"))
    assert one == pytest.approx(two)


def test_every_other_job_by_turns() -> None:
    found = ends("round-robin", {"hosts": 2})
    for turn in (0, 1):
        mine = [job for job in JOBS if (job.number - 1) % 2 == turn]
        assert found[turn::2] == pytest.approx(ends("fcfs", {}, mine, processors=1))


def test_by_chance_each_host_has_its_share() -> None:
    jobs = [Job(0.0, 1.0, 1, number=k) for k in range(1, 401)]
    last = [ends("random", {"hosts": 4, "draw": draw}, jobs, processors=4) for draw in (1, 2)]
    for found in last:
        # A host that has n jobs ends the last of them after n seconds.
        counts = np.bincount(np.rint(found).astype(int))
        assert 100 <= found.max() < 140
        assert counts[1] == 4
    assert not np.array_equal(last[0], last[1]), "another draw is another assignment"


def test_wider_jobs_than_a_host_are_refused() -> None:
    jobs = [Job(0.0, 5.0, 3, number=1), Job(0.0, 5.0, 2, number=2)]
    for name in ("sita-u", "least-work-left", "round-robin", "random", "migrate-by-age"):
        values = {"cutoffs": (9.0,)} if name == "sita-u" else {"hosts": 2}
        found = ends(name, values, jobs, processors=4)
        assert np.isnan(found[0])
        assert found[1] == pytest.approx(5.0)


def test_old_jobs_move_to_the_idle_host() -> None:
    # Two jobs that the hash puts on one host share it; the other stands idle until one moves.
    jobs = [Job(0.0, 100.0, 1, number=k) for k in range(1, 9)]
    alone = {
        job.number: ends("migrate-by-age", {"hosts": 2, "move": "none"}, jobs[:2]).max() for job in jobs[:1]
    }
    assert alone[1] in (100.0, 200.0)
    stays = ends("migrate-by-age", {"hosts": 2, "move": "none"}, jobs)
    moves = ends("migrate-by-age", {"hosts": 2, "cost": 0.0}, jobs)
    assert moves.max() <= stays.max()
    assert moves.max() == pytest.approx(400.0, rel=0.01), "eight jobs of 100 s on two processors"


def test_bands_of_priority() -> None:
    jobs = [Job(0.0, 10.0, 1, number=1), Job(0.0, 10.0, 1, number=2)]
    # Alone in a band they share; a job of a better band stops both, and comes back below a threshold.
    assert ends("srpt", {"levels": (100.0,)}, jobs, 1) == pytest.approx([20.0, 20.0])
    jobs.append(Job(2.0, 4.0, 1, number=3))
    assert ends("srpt", {"levels": (5.0,)}, jobs, 1)[2] == pytest.approx(6.0)
    assert ends("srpt", {"levels": (5.0,)}, jobs, 1).max() == pytest.approx(24.0)
    # Below a threshold a job is not stopped any more by one that is longer than the threshold.
    late = [Job(0.0, 10.0, 1, number=1), Job(6.0, 9.0, 1, number=2)]
    assert ends("srpt", {"levels": (5.0,)}, late, 1) == pytest.approx([10.0, 19.0])
    exact = ends("srpt", {})
    many = ends("srpt", {"levels": tuple(0.5 * k for k in range(1, 31))})
    one = ends("srpt", {"levels": (1e9,)})
    submit = np.array([job.submit for job in JOBS])
    assert (exact - submit).mean() <= (many - submit).mean() <= (one - submit).mean()
    assert one == pytest.approx(ends("ps", {})), "one band is processor sharing"


def test_sita_u_takes_its_cutoffs_from_the_workload() -> None:
    log = "heavy?jobs=2000&processors=2&alpha=1.3&p=1000&load=0.7"
    found = simulate(log, policy="sita-u")
    (cutoff,) = found.document["policy"]["computed"]["cutoffs"]
    assert f"cutoffs={cutoff:.15g}, computed from" in found.notes[0]
    again = simulate(log, policy="sita-u", set={"cutoffs": [cutoff]})
    assert again.metrics["mean_slowdown"] == found.metrics["mean_slowdown"]
    assert "computed" not in again.document["policy"]
    split = simulate(log, policy="random")
    assert found.metrics["mean_slowdown"] < 0.5 * split.metrics["mean_slowdown"]
