"""``molokini capacity``: by hand, in one line where it cannot be, and the same whatever the workers."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.workloads.readers import read_workload
from tests.clients.command_runs import Ran, without_run
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]
EXAMPLE = Path(__file__).parents[2] / "examples/kth-sp2-month.swf.gz"
DAS = ("capacity", "--workload", "das", "--set", "jobs=400", "--policy", "fcfs-worstfit", "--workers", 1)


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """Sixty jobs of six processors on eight: one at a time."""
    jobs = [record(k, 10 * k, 5, 6, requested_s=5) for k in range(1, 61)]
    return log(tmp_path, "; Version: 2.2", "; MaxProcs: 8", *jobs, name="wide.swf")


def test_one_job_at_a_time_holds_three_quarters(molokini: Command, wide: Path) -> None:
    exact = molokini("capacity", wide, "--policy", "fcfs", "--full-queue", "--json", "-").json
    assert next(iter(exact)) == "schema"
    assert exact["capacity"]["utilization"] == {"mean": 0.75, "low": None, "high": None, "samples": 1}
    assert exact["capacity"]["loss"]["mean"] == 0.25
    assert exact["capacity"]["jobs_per_s"]["mean"] == pytest.approx(60 / 295)
    assert (exact["method"], exact["tolerance"]) == ("full-queue", None)
    assert exact["without_communication"] is exact["communication_loss"] is None
    found = molokini("capacity", wide, "--policy", "easy", "--json", "-").json
    assert found["capacity"]["utilization"]["mean"] == pytest.approx(0.75, abs=0.01)
    assert (found["method"], found["tolerance"]) == ("search", 0.002)


def test_the_workloads_own_rate_stands_beside_the_maximum(molokini: Command, tmp_path: Path) -> None:
    jobs = [record(k, 10 * k, 5, 6, requested_s=5) for k in range(1, 61)]
    calm = log(tmp_path, "; Version: 2.2", "; MaxProcs: 8", *jobs, name="calm.swf")
    found = molokini("capacity", calm, "--policy", "easy", "--json", "-").json
    assert found["recorded"]["utilization"]["mean"] == pytest.approx(0.375, abs=0.01)
    assert found["results"][0]["recorded_utilization"] == found["recorded"]["utilization"]["mean"]
    assert found["warning"] is None
    assert "utilization at the workload's own rate" in molokini("capacity", calm, "--policy", "easy").out


def test_a_maximum_below_what_the_log_reaches_is_warned_of(molokini: Command, tmp_path: Path) -> None:
    """So fast that everybody waits: who overtakes then chooses among more than he could for ever."""
    month = read_workload(str(EXAMPLE), limit=300)
    rows = zip(month.submit_s // 20, month.run_s, month.processors, month.estimate_s, strict=True)
    jobs = [
        record(k, int(submit), int(run), int(width), requested_s=int(asked))
        for k, (submit, run, width, asked) in enumerate(rows, 1)
    ]
    fast = log(tmp_path, "; Version: 2.2", "; MaxProcs: 100", *jobs, name="fast.swf")
    found = molokini("capacity", fast, "--policy", "ljf", "--json", "-").json
    assert found["recorded"]["utilization"]["mean"] > found["capacity"]["utilization"]["mean"]
    assert found["warning"].startswith("at its own rate the workload holds")
    assert "warning: at its own rate" in molokini("capacity", fast, "--policy", "ljf").out


@pytest.mark.deep
def test_seeds_give_intervals_and_pair_what_communication_costs(molokini: Command) -> None:
    asked = (*DAS, "--set", "mix=ordered", "--set", "ratio=100", "--full-queue", "--seeds", 3)
    found = molokini(*asked, "--json", "-").json
    assert (found["seeds"], len(found["results"])) == ([1, 2, 3], 6)
    assert [one["communication"] for one in found["results"]] == [True, False] * 3
    lost, rows = found["communication_loss"]["computing"], found["results"]
    gaps = [
        without["computing"] - with_it["computing"]
        for with_it, without in zip(rows[::2], rows[1::2], strict=True)
    ]
    assert lost["mean"] == pytest.approx(sum(gaps) / 3)
    assert 0.1 < lost["low"] < lost["mean"] < lost["high"]
    assert found["workload"]["generated"]["parameters"]["ratio"] == 100
    two = [2 if before == "--workers" else word for before, word in zip(("", *asked), asked, strict=False)]
    again = molokini(*two, "--json", "-").json
    assert without_run(again) == without_run(found)
    shown = molokini(*asked).out
    for words in (
        "maximal utilization without communication",
        "extra loss through",
        "over 3 seeds",
        "never empty",
    ):
        assert words in shown


def test_a_log_is_resampled(molokini: Command, wide: Path) -> None:
    found = molokini(
        "capacity", wide, "--policy", "fcfs", "--tolerance", 0.01, "--seeds", 2, "--json", "-"
    ).json
    assert found["capacity"]["utilization"]["samples"] == 2
    assert "does not grow" in molokini("capacity", wide, "--policy", "fcfs").out


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("capacity", "--policy", "fcfs"), "give a LOG, or --workload"),
        (("capacity", "a.swf", "--workload", "das", "--policy", "fcfs"), "give a LOG, or --workload"),
        ((*DAS, "--tolerance", 0), "--tolerance: 0.0 is not allowed; it must be a share from 0.000001"),
        ((*DAS, "--tolerance", 1), "--tolerance: 1.0 is not allowed"),
        ((*DAS, "--tolerance", "nan"), "--tolerance: nan is not allowed"),
        ((*DAS, "--seeds", -1), "--seeds: -1 is not allowed; it must be a whole number from 0 to 10,000"),
        ((*DAS, "--seed", -1), "--seed: -1 is not allowed"),
        ((*DAS, "--jobs", 1), "jobs: 1 is not allowed; it must be 2 or more"),
        ((*DAS, "--set", "ratio=0.9"), "ratio: '0.9' is not allowed; it must be a number from 1"),
        ((*DAS, "--set", "ration=1"), "did you mean 'ratio'?"),
        ((*DAS, "--nodes", 4), "--nodes and --procs-per-node are given together"),
        ((*DAS[:5], "--policy", "srpt", "--workers", 1), "no job can run under srpt: 400 needs_nodes"),
        (
            ("capacity", "--workload", "divisible", "--set", "time=20000", "--policy", "edf-opr-mn"),
            "the queue does not grow however often jobs arrive",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(molokini: Command, arguments: tuple[str], told: str) -> None:
    ran = molokini(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1
