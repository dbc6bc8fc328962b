"""Limits of associations and QOSes: the worked cases 12, 25, 26 and 27c of the reference."""

from math import inf

import pytest

from molokini.policies.slurm.configuration.settings import Limits
from tests.core.policies.slurm.test_starts import IN_B, ONE_OF_MID, OVER
from tests.kit.slurm import LIMITS, Sbatch, settings_of, slurm, tree


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
