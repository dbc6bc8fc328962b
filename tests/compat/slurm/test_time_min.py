"""``--time-min``: submitted, shown, altered, and the limit with which backfill starts such a job."""

from pathlib import Path

import pytest

from molokini.compat.slurm.times import limit_s, whole_minutes
from tests.compat.slurm.test_site import site
from tests.kit.batch_commands import Cluster

TIMERS = "SchedulerParameters=bf_interval=10,batch_sched_delay=0\n"


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("90", 90), ("90:30", 91), ("1:30:00", 90), ("1-0", 1440), ("0:40", 1), ("2-3:4", 3064)],
)
def test_case_28_limits_are_whole_minutes_rounded_up(text: str, minutes: int) -> None:
    assert whole_minutes(limit_s(text)) == minutes * 60


async def test_a_start_shortens_the_limit(tmp_path: Path) -> None:
    """Worked case 32: T is planned for a minute, and grows up to the plan of H."""
    async with site(tmp_path, TIMERS) as cluster:
        for words in (
            ("-N3", "--exclusive", "-t4", "-J", "A"),
            ("-N4", "--exclusive", "-t5", "-J", "H"),
            ("-N1", "--exclusive", "-t10", "--time-min=0:40", "-J", "T"),
        ):
            assert (await cluster.ran("sbatch", "-A", "phys", *words, "--wrap", "sleep 3000")).code == 0
        assert await record(cluster, 3) == ("PENDING", "00:10:00", "00:01:00")
        assert (await cluster.ran("squeue", "-h", "-j3", "-O", "MinTime,TimeLimit")).out.split() == [
            "1:00",
            "10:00",
        ]
        await cluster.molokini("clock", "advance", 20)
        state, limit, least = await record(cluster, 3)
        assert (state, least) == ("RUNNING", "00:01:00")
        assert limit == "00:03:00"
        assert (await cluster.ran("squeue", "-h", "-j3", "-o", "%l")).out == "3:00\n"
        await cluster.molokini("clock", "advance", 200)
        said = await cluster.ran("sacct", "-nXP", "-j3", "-o", "State,Timelimit,TimelimitRaw,ElapsedRaw")
        assert said.out == "TIMEOUT|00:03:00|3|180\n"


async def test_what_is_no_least_limit_is_refused(tmp_path: Path) -> None:
    async with site(tmp_path, TIMERS) as cluster:
        ran = await cluster.ran("sbatch", "-t", "5", "--time-min=soon", "--wrap", "true")
        assert (ran.code, ran.err) == (255, "sbatch: error: Invalid --time-min specification\n")
        ran = await cluster.ran("sbatch", "-t", "5", "--time-min=6", "--wrap", "true")
        assert ran.code == 1
        assert "Requested time limit is invalid (missing or exceeds some limit)" in ran.err
        assert (await cluster.ran("sbatch", "--hold", "-t", "5", "--time-min=2", "--wrap", "true")).code == 0
        assert (await cluster.ran("scontrol", "update", "job=1", "TimeMin=6")).code == 1
        assert (await cluster.ran("scontrol", "update", "job=1", "TimeMin=3")).code == 0
        assert (await record(cluster, 1))[1:] == ("00:05:00", "00:03:00")


async def record(cluster: Cluster, job: int) -> tuple[str, str, str]:
    """State, limit and least limit of a job, as scontrol shows it."""
    ran = await cluster.ran("scontrol", "show", "job", job)
    shown = dict(word.split("=", 1) for word in ran.out.split() if "=" in word)
    return shown["JobState"], shown["TimeLimit"], shown["TimeMin"]
