"""``molokini coschedule``: run, compare, timeline, explain, and what is refused."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.running import ROOT, Ran

Command = Callable[..., Ran]
EXAMPLES = ROOT / "examples" / "coscheduling"

TWO = """
nodes = 2
until = "5s"
[[job]]
name = "one"
kind = "bsp"
processes = 2
compute = "exponential 2ms"
work = "100ms"
[[job]]
name = "two"
kind = "bsp"
processes = 2
compute = "exponential 3ms"
work = "100ms"
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(TWO)
    return path


def test_the_first_worked_example_to_the_nanosecond(molokini: Command) -> None:
    found = molokini("coschedule", "run", EXAMPLES / "ping-pong.toml", "--local", "spin", "--json", "-").json
    assert found["schema"] == "molokini.coschedule/1"
    assert found["elapsed_ns"] == 260_000
    job = found["jobs"][0]
    assert (job["compute_ns"], job["spin_ns"], job["send_ns"], job["receive_ns"]) == (
        200_000,
        275_000,
        10_000,
        10_000,
    )
    assert [
        sum(line[f"{name}_ns"] for name in ("compute", "spin", "send", "receive", "idle"))
        for line in found["cpus"]
    ] == [
        260_000,
        260_000,
    ]


def test_tables_are_written(molokini: Command, two: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found = molokini(
        "coschedule",
        "run",
        two,
        "--jobs",
        tmp_path / "j.parquet",
        "--cpus",
        tmp_path / "c.csv",
        "--json",
        "-",
    ).json
    table = parquet.read_table(tmp_path / "j.parquet").to_pylist()
    assert table == found["jobs"]
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 3


def test_a_comparison_is_the_same_whatever_the_number_of_workers(
    molokini: Command, two: Path, tmp_path: Path
) -> None:
    asked = (
        "coschedule",
        "compare",
        two,
        "--local",
        "spin",
        "--local",
        "block+boost",
        "--seeds",
        2,
        "--json",
        "-",
    )
    one = molokini(*asked, "--workers", 1)
    assert molokini(*asked, "--workers", 2).out == one.out
    assert [point["way"] for point in one.json["points"]] == ["spin", "block+boost"]
    assert one.json["points"][0]["less_base"]["be_response_s"]["mean"] == 0
    shown = molokini(
        "coschedule", "compare", two, "--local", "sb", "--seeds", 2, "--plot", tmp_path / "p.png"
    )
    assert shown.code == 0
    assert (tmp_path / "p.png").stat().st_size > 10_000


def test_a_timeline_covers_its_window(molokini: Command, two: Path, tmp_path: Path) -> None:
    found = molokini(
        *("coschedule", "timeline", two, "--from", 0.01, "--to", 0.02, "--local", "pb"),
        *("--json", "-", "--plot", tmp_path / "t.svg"),
    ).json
    for cpu in (0, 1):
        mine = [one for one in found["pieces"] if one["cpu"] == cpu]
        assert mine[0]["from_ns"] <= 10_000_000
        assert mine[-1]["to_ns"] >= 20_000_000
        assert all(one["to_ns"] == other["from_ns"] for one, other in itertools.pairwise(mine))
    assert (tmp_path / "t.svg").stat().st_size > 1000


def test_a_scenario_is_explained_with_its_defaults(molokini: Command) -> None:
    found = molokini("coschedule", "explain", EXAMPLES / "pipeline.toml", "--json", "-").json
    assert found["scheduling"]["scheme"] == "2dcs-tdm"
    assert found["scheduling"]["spin"] == "260us"
    assert found["jobs"][0]["programs"][1]["of"] == ["1", "2"]
    shown = molokini("coschedule", "explain", EXAMPLES / "two-classes.toml")
    assert "rt_load 0.4" in shown.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--local", "pbsb"), "--local: 'pbsb' is not allowed; it must be one of spin"),
        (("--scheme", "2gs"), "--scheme: '2gs' is not allowed; it must be one of local, 1gs"),
        (("--scheme", "1gs", "--local", "pb"), "--local: the scheme 1gs has local policies of its own"),
        (("--seed", -1), "--seed: -1 is not allowed"),
        (
            ("--jobs", "jobs.txt"),
            "--jobs: 'jobs.txt' is not allowed; it must be a file name that ends in .csv",
        ),
    ],
)
def test_bad_options_are_refused(
    molokini: Command, two: Path, arguments: tuple[str, ...], words: str
) -> None:
    ran = molokini("coschedule", "run", two, *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_loads_need_arrivals(molokini: Command, two: Path) -> None:
    ran = molokini("coschedule", "compare", two, "--rt-rate", "0.2:0.4:0.2")
    assert ran.code == 2
    assert "has no [arrivals]" in ran.err
    assert "from 0 to 100" in molokini("coschedule", "compare", two, "--rt-rate", "1:0:1").err
