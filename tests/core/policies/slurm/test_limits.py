"""Limits of associations and QOSes: the worked cases 12, 25, 26 and 27c of the reference."""

from math import inf

import pytest

from molokini.policies.slurm.configuration.settings import Limits, Qos
from tests.core.policies.slurm.test_starts import IN_B, ONE_OF_MID, OVER
from tests.kit.slurm import FOUR, LIMITS, NODE, Sbatch, settings_of, slurm, tree


def test_case_12_reasons() -> None:
    settings = settings_of(LIMITS, associations=IN_B, qos=ONE_OF_MID)
    ran = slurm(OVER, settings).until(3.0)
    assert ran.starts == [0.0, inf, 0.0, 0.0, inf, 0.0]
    assert (ran.reason(1), ran.reason(4)) == ("AssocGrpCpuLimit", "QOSMaxJobsPerUserLimit")


@pytest.mark.parametrize(("safe", "wanted"), [("off", 10.0), ("on", inf)])
def test_case_25_minutes_of_a_group(safe: str, wanted: float) -> None:
    """40 of 100 minutes may still be used by a job that runs; 80 more do not fit, where that counts."""
    bound = tree(limits={"b": Limits(grp_tres_mins={"cpu": 100.0})})
    jobs = [Sbatch(0, 500, 10, tasks=4, user="sys"), Sbatch(10, 10, 40, tasks=2, user="sys")]
    ran = slurm(jobs, settings_of({**LIMITS, "enforce_safe": safe}, associations=bound)).until(15.0)
    assert ran.starts[1] == wanted
    if safe == "on":
        assert ran.reason(1) == "AssocGrpCPUMinutesLimit"


@pytest.mark.parametrize(("minutes", "wanted"), [(90.0, 1201.0), (91.0, inf)])
def test_case_26_minutes_of_limits_that_run(minutes: float, wanted: float) -> None:
    bound = tree(limits={"b": Limits(grp_tres_run_mins={"cpu": 1000.0})})
    jobs = [Sbatch(0, 5000, 100, tasks=8, user="sys"), Sbatch(1201, 10, minutes, tasks=4, user="sys")]
    ran = slurm(jobs, settings_of(LIMITS, associations=bound)).until(1210.0)
    assert ran.starts[1] == wanted
    if wanted == inf:
        assert ran.reason(1) == "AssocGrpCPURunMinutesLimit"


def test_case_27c_max_wall() -> None:
    settings = settings_of(LIMITS, associations=tree(limits={"a": Limits(max_wall_s=120.0)}))
    ran = slurm(
        [Sbatch(0, 20, 5, tasks=1, user="daemon"), Sbatch(0, 20, 2, tasks=1, user="daemon")], settings
    )
    ran.until(5.0)
    assert ran.starts == [inf, 0.0]
    assert ran.reason(0) == "AssocMaxWallDurationPerJobLimit"


@pytest.mark.parametrize(
    ("limits", "refused"),
    [
        ({"user sys": Limits(max_submit=3)}, 2),
        ({"b": Limits(max_submit=4)}, 1),
        ({"b": Limits(grp_submit=1)}, 4),
        ({"a": Limits(grp_submit=1)}, 0),
    ],
)
def test_jobs_over_a_limit_at_submission_are_refused(limits: dict[str, Limits], refused: int) -> None:
    jobs = [Sbatch(k, 20, 5, tasks=16, user="sys") for k in range(5)]
    ran = slurm(jobs, settings_of(LIMITS, associations=tree(limits=limits)))
    assert ran.replay.run()
    assert sum(start == inf for start in ran.starts) == refused
    assert sum(ran.replay.schedule().refused.values()) == refused


def test_a_limit_of_a_qos_at_submission_is_per_user_and_hides_that_of_the_association() -> None:
    mid = Qos("mid", limits=Limits(max_submit=2))
    settings = settings_of(
        LIMITS, associations=tree(limits={"a": Limits(max_submit=1)}), qos=(Qos("normal"), mid)
    )
    jobs = [Sbatch(k, 20, 5, tasks=16, user=user, qos="mid") for k in range(3) for user in ("daemon", "bin")]
    ran = slurm(jobs, settings)
    assert ran.replay.run()
    assert [start == inf for start in ran.starts] == [False] * 4 + [True] * 2


def test_a_job_that_can_no_longer_end_by_its_deadline_is_refused() -> None:
    jobs = [Sbatch(0, 100, 2, **FOUR), Sbatch(1, 5, 5, **NODE), Sbatch(1, 5, 5, **NODE)]
    ran = slurm(jobs).until(2.0)
    deadlines = ran.replay.tables.jobs.deadline_s
    deadlines[ran.row(1)], deadlines[ran.row(2)] = 390.0, 401.0
    assert ran.replay.run()
    # Both need 300 s by their limits; the machine is free at 101.
    assert ran.starts == [0.0, inf, 101.0]
    assert ran.replay.schedule().refused == {"deadline_too_tight": 1}
