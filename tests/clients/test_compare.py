import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.experiments.comparing import load_factors
from tests.clients.command_runs import EXAMPLE, Ran, without_run
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]
THREE = ("--policy", "fcfs", "--policy", "easy", "--policy", "firstfit")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", [1]),
        ("0.8,0.9", [0.8, 0.9]),
        ("0.8:1.2:0.1", [0.8, 0.9, 1.0, 1.1, 1.2]),
        ("0.5:1:0.3", [0.5, 0.8]),
        ("2:2:1", [2]),
        ("1,1", [1]),
    ],
)
def test_load_factors(text: str, numbers: list[float]) -> None:
    assert load_factors(text) == numbers


def test_json(molokini: Command, small: Path) -> None:
    ran = molokini("compare", small, *THREE, "--json", "-", "--workers", 1)
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    assert next(iter(found)) == "schema"
    assert found["schema"] == "molokini.compare/1"
    assert [policy["label"] for policy in found["policies"]] == ["fcfs", "easy", "firstfit"]
    assert found["workloads"][0]["cluster"]["processors"] == 4
    assert [row["policy"] for row in found["results"]] == ["fcfs", "easy", "firstfit"]
    assert [one["policy"] for one in found["comparisons"]] == ["easy", "firstfit"]
    assert {one["baseline"] for one in found["comparisons"]} == {"fcfs"}
    means = {cell["policy"]: cell["mean"] for cell in found["table"] if cell["metric"] == "mean_wait_s"}
    for row in found["results"]:
        assert row["metrics"]["mean_wait_s"] == means[row["policy"]]


def test_same_numbers_as_simulate(molokini: Command, small: Path) -> None:
    found = molokini("compare", small, *THREE, "--json", "-", "--workers", 1).json
    for row in found["results"]:
        alone = molokini("simulate", small, "--policy", row["policy"], "--json", "-").json
        assert row["metrics"] == alone["metrics"]


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("more", [(), ("--seeds", "3"), ("--load-factor", "0.8:1.2:0.2")])
def test_any_number_of_workers_gives_the_same_bytes(
    molokini: Command, tmp_path: Path, more: tuple[str, ...]
) -> None:
    other = log(tmp_path, "; MaxProcs: 4", *(record(n, 9 * n, 20 + n, 1 + n % 3) for n in range(1, 200)))
    texts = []
    for workers in (1, 2):
        path = tmp_path / f"{workers}.json"
        arguments = ("--jobs", 200, "--workers", workers, "--json", path, *more)
        assert molokini("compare", EXAMPLE, other, *THREE, *arguments).code == 0
        texts.append(json.dumps(without_run(json.loads(path.read_text()))))
    assert texts[0] == texts[1]


def test_tables(molokini: Command, small: Path, tmp_path: Path) -> None:
    picture = tmp_path / "c.png"
    ran = molokini("compare", small, *THREE, "--plot", picture)
    assert ran.code == 0
    for text in ("mean wait", "p95 wait", "loss of capacity", "against fcfs", "no clear difference"):
        assert text in ran.out
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_every_load_factor_has_its_table(molokini: Command, small: Path) -> None:
    ran = molokini("compare", small, *THREE, "--load-factor", "0.5,2")
    assert "load factor 0.5" in ran.out
    assert "load factor 2" in ran.out
    assert ran.out.count("against fcfs") == 2


def test_seeds_are_paired(molokini: Command) -> None:
    found = molokini("compare", EXAMPLE, *THREE, "--jobs", 300, "--seeds", 4, "--json", "-").json
    assert found["seeds"] == [1, 2, 3, 4]
    assert len(found["results"]) == 12
    easy = found["comparisons"][0]
    difference = next(one for one in easy["differences"] if one["metric"] == "mean_wait_s")

    def waits(policy: str) -> list[float]:
        return [row["metrics"]["mean_wait_s"] for row in found["results"] if row["policy"] == policy]

    gaps = [after - before for after, before in zip(waits("easy"), waits("fcfs"), strict=True)]
    assert difference["difference"] == pytest.approx(sum(gaps) / 4)
    assert difference["samples"] == 4
    assert len(set(waits("fcfs"))) > 1
    cell = next(one for one in found["table"] if (one["policy"], one["metric"]) == ("easy", "p95_wait_s"))
    assert cell["replications"] == 4


def test_one_policy_with_two_settings(molokini: Command, small: Path) -> None:
    two = ("--policy", "easy", "--policy", "easy?order=shortest")
    found = molokini("compare", small, *two, "--json", "-").json
    assert [policy["label"] for policy in found["policies"]] == [
        "easy (order=queue)",
        "easy (order=shortest)",
    ]
    assert [policy["parameters"] for policy in found["policies"]] == [
        {"order": "queue"},
        {"order": "shortest"},
    ]


def test_set_reaches_the_policies_that_know_it(molokini: Command, small: Path) -> None:
    found = molokini("compare", small, *THREE, "--set", "order=best-fit", "--json", "-").json
    assert [policy["parameters"] for policy in found["policies"]] == [{}, {"order": "best-fit"}, {}]


def test_logs_of_one_name_are_told_apart(molokini: Command, small: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    other = log(tmp_path / "more", "; MaxProcs: 8", record(1, 0, 10, 2), name="small.swf")
    found: dict[str, Any] = molokini("compare", small, other, *THREE, "--json", "-").json
    assert [workload["file"] for workload in found["workloads"]] == [str(small), str(other)]
    assert molokini("compare", small, small, *THREE).code == 2


def test_jobs_refused_are_told(molokini: Command, tmp_path: Path) -> None:
    path = log(tmp_path, "; MaxProcs: 2", record(1, 0, 10, 3), record(2, 0, 10, 1))
    assert "jobs refused: 1 (1 wider_than_machine)" in molokini("compare", path, *THREE).out


@pytest.mark.deep
@pytest.mark.parametrize("names", [("all", "some"), ("some", "all")])
def test_classes_that_never_end_under_one_policy_are_told_under_the_other(
    molokini: Command, tmp_path: Path, names: tuple[str, str]
) -> None:
    path = log(tmp_path, "; MaxProcs: 8", *(record(k, k, 10, k) for k in (1, 2, 4)))
    (tmp_path / "all.cfg").write_text("QUEUETIMEWEIGHT 1\n")
    (tmp_path / "some.cfg").write_text("AMCFG[b] TYPE=FILE\nACCOUNTCFG[a] ALLOCATION=39\nSYSCFG ADEF=a\n")
    files = [word for name in names for word in ("--maui-config", tmp_path / f"{name}.cfg")]
    ran = molokini("compare", path, *files, "--by", "size", "--plot", tmp_path / "parts.png")
    assert ran.code == 0, ran.err
    told = "warning: some.cfg on log.swf: 1 job never finished; all figures are of those that did"
    assert told in ran.out
    sizes = [line.split()[0] for line in ran.out.partition("mean wait by size")[2].splitlines()[4:7]]
    assert sizes == ["1", "2", "3-4"]
    assert (tmp_path / "parts.png").stat().st_size > 0


def test_policies_on_what_a_model_makes(molokini: Command) -> None:
    asked = ("compare", "--workload", "das", "--set", "jobs=400", "--set", "load=0.4", "--set", "spread=fill")
    two = ("--policy", "fcfs-worstfit", "--policy", "easy-worstfit")
    found = molokini(*asked, *two, "--seeds", 3, "--workers", 1, "--json", "-").json
    workload = found["workloads"][0]
    assert (workload["file"], workload["jobs"]) == ("das", 400)
    assert workload["generated"]["parameters"]["load"] == 0.4
    assert workload["cluster"]["processors"] == 32
    assert {policy["parameters"]["spread"] for policy in found["policies"]} == {"fill"}
    assert (found["seeds"], len(found["results"])) == ([1, 2, 3], 6)
    # The jobs of a seed are those of simulate, and other seeds have other jobs.
    alone = molokini("simulate", *asked[1:], "--policy", "easy-worstfit", "--seed", 2, "--json", "-").json[
        "metrics"
    ]
    second = found["results"][3]
    assert (second["seed"], second["policy"]) == (2, "easy-worstfit")
    assert second["metrics"] == alone
    assert len({row["metrics"]["mean_wait_s"] for row in found["results"]}) == 6
    shown = molokini(*asked, *two, "--seeds", 2, "--workers", 1).out
    assert "each of which makes jobs of its own" in shown
    again = molokini(*asked, *two, "--seeds", 3, "--workers", 2, "--json", "-").json
    assert without_run(again) == without_run(found)


def test_divisible_loads_are_compared_by_what_is_refused(molokini: Command) -> None:
    asked = ("compare", "--workload", "divisible", "--set", "time=50000", "--workers", 1)
    two = ("--policy", "edf-opr-mn", "--policy", "edf-opr-an")
    found = molokini(*asked, *two, "--seeds", 2, "--json", "-").json
    differences = {one["metric"] for one in found["comparisons"][0]["differences"]}
    assert {"reject_ratio", "mean_wait_s"} <= differences
    assert any(cell["metric"] == "reject_ratio" for cell in found["table"])
    assert "reject ratio" in molokini(*asked, *two).out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--policy", "fcfs"), "workloads are needed, of one kind"),
        (("a.swf", "--workload", "das", "--policy", "fcfs"), "workloads are needed, of one kind"),
        (("--workload", "dass", "--policy", "fcfs"), "did you mean 'das'?"),
        (("--workload", "das", "--policy", "fcfs", "--set", "ration=3"), "did you mean 'ratio'?"),
        (("--workload", "das", "--policy", "fcfs", "--set", "ratio=0.5"), "ratio: '0.5' is not allowed"),
        (("--workload", "das", "--policy", "fcfs", "--jobs", 0), "--jobs: 0 is not allowed"),
        (("--workload", "das", "--maui-config", "maui.cfg"), "--maui-config goes with logs"),
    ],
)
def test_workloads_that_cannot_be_compared(molokini: Command, arguments: tuple[str], told: str) -> None:
    ran = molokini("compare", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1
