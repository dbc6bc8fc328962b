"""``molokini.experiments.simulate``: what the command does, as a value, without a word."""

import csv
import gzip
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from molokini.experiments import Result, compare, simulate
from molokini.model.errors import BadFile, BadInput, BadValue, MissingExtra, UnknownName
from molokini.workloads.readers import read_workload
from tests.clients.command_runs import EXAMPLE, ROOT, Ran, without_run
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]
SHORT: Mapping[str, Any] = {"log": EXAMPLE, "jobs": 300}
RUNS: dict[str, tuple[Mapping[str, Any], tuple[object, ...]]] = {
    "plain": ({**SHORT, "policy": "easy"}, ()),
    "a parameter": ({**SHORT, "policy": "easy", "set": {"order": "shortest"}}, ("--set", "order=shortest")),
    "a list": ({**SHORT, "policy": "sita-e", "set": {"cutoffs": [600, 7200]}}, ("--set", "cutoffs=600,7200")),
    "the machine": ({**SHORT, "policy": "fcfs", "processors": 128}, ("--processors", 128)),
    "nodes": (
        {**SHORT, "policy": "easy", "nodes": 32, "processors_per_node": 4, "placement": "best-fit"},
        ("--nodes", 32, "--processors-per-node", 4, "--placement", "best-fit"),
    ),
    "load, copies, a part": (
        {**SHORT, "policy": "fcfs", "load_factor": 1.5, "clone": 2, "seed": 3, "warm_up": "5%", "tau": 60},
        ("--load-factor", 1.5, "--clone", 2, "--seed", 3, "--warm-up", "5%", "--tau", 60),
    ),
    "breakdowns": ({**SHORT, "policy": "srpt", "by": "user,size"}, ("--by", "user,size")),
    "rules": (
        {**SHORT, "policy": "easy", "overrun": "extend", "ties": "each"},
        ("--overrun", "extend", "--ties", "each"),
    ),
    "a model": (
        {"workload": "divisible", "policy": "edf-opr-mn", "set": {"time": 100000}},
        ("--workload", "divisible", "--set", "time=100000"),
    ),
    "a site": (
        {**SHORT, "policy": "maui", "maui_config": str(ROOT / "examples" / "maui.cfg")},
        ("--maui-config", ROOT / "examples" / "maui.cfg"),
    ),
}


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("run", RUNS)
def test_the_command_writes_the_same(molokini: Command, run: str, tmp_path: Path) -> None:
    options, words = RUNS[run]
    given = [] if "log" not in options else [options["log"], "--jobs", options["jobs"]]
    path = tmp_path / "s.csv"
    asked = ("--policy", options["policy"], "--schedule", path, "--json", "-")
    ran = molokini("simulate", *given, *words, *asked)
    result = simulate(**options)
    assert json.loads(json.dumps(without_run(dict(result.document)))) == without_run(ran.json)
    assert dict(result.metrics) == ran.json["metrics"]
    assert [f"molokini: {note}" for note in result.notes] == ran.err.splitlines()
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert list(result.schedule) == list(rows[0])
    for name, column in result.schedule.items():
        texts = [row[name] for row in rows]
        if column.dtype.kind in "UO":
            assert column.tolist() == texts
        else:
            assert np.array_equal(column, [float(text or "nan") for text in texts], equal_nan=True), name


def test_nothing_is_printed_or_written(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    simulate(**RUNS["a site"][0]).plot()
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_jobs_that_a_program_has_made_need_no_file() -> None:
    jobs = read_workload(EXAMPLE)
    by_file, by_value = simulate(EXAMPLE, policy="easy"), simulate(jobs, policy="easy")
    assert without_run(dict(by_value.document)) == without_run(dict(by_file.document))
    assert simulate(jobs, policy="easy", jobs=7).metrics["jobs"] == 7


NAMED = """number,submit_s,run_s,requested_processors,requested_s,user,queue
1,0,100,2,60,"o'neil, ann",batch
2,10,30,2,60,bob,long
3,20,30,9,60,bob,
4,30,5,1,60,,batch
"""


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A log with names: a job that is killed, one that is refused, one of nobody known."""
    path = tmp_path / "named.csv"
    path.write_text(NAMED)
    return path


def test_a_schedule_tells_whose_each_job_is_and_what_became_of_it(named: Path, tmp_path: Path) -> None:
    result = simulate(named, policy="fcfs", processors=2)
    assert result.schedule["user"].tolist() == ["o'neil, ann", "bob", "bob", ""]
    assert result.schedule["queue"].tolist() == ["batch", "long", "", "batch"]
    assert result.schedule["group"].tolist() == [-1, -1, -1, -1]
    assert result.schedule["status"].tolist() == ["killed", "completed", "refused", "completed"]
    result.write(tmp_path / "s.csv")
    first = (tmp_path / "s.csv").read_text().splitlines()[1]
    assert first == '1,0,0,60,2,60,60,0,0,0,0,0,"o\'neil, ann",-1,batch,killed'


def test_a_schedule_is_a_log(named: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    result = simulate(named, policy="fcfs", processors=2)
    result.write(tmp_path / "s.csv")
    result.write(tmp_path / "s.parquet")
    for given in (tmp_path / "s.csv", tmp_path / "s.parquet", result.to_pandas()):
        again = simulate(given, policy="fcfs", processors=2)
        # The refused job did not run, so no record tells how long it would have.
        for name in ("job", "submit_s", "start_s", "end_s", "processors", "estimate_s", "user", "queue"):
            ran = result.schedule["status"] != "refused"
            assert again.schedule[name].tolist() == result.schedule[name][ran].tolist(), name
        assert again.replayed.workload.skipped == {"run_time_negative": 1}
    frame = pandas.read_csv(named).rename(columns={"number": "job", "requested_processors": "processors"})
    by_frame = simulate(frame, policy="fcfs", processors=2)
    assert dict(by_frame.metrics) == dict(result.metrics)
    both = compare([frame, frame], policies=["fcfs", "easy"], processors=2)
    assert {row["workload"] for row in both.results} == {"DataFrame", "DataFrame 2"}


def test_what_is_wrong_with_the_columns_of_a_table_is_told_at_once() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"jb": [1], "submit_s": [0], "runtime": [5], "processors": [1]})
    with pytest.raises(BadFile) as refused:
        simulate(frame, policy="fcfs", processors=2)
    assert str(refused.value) == (
        "DataFrame: no field is named 'jb' (did you mean 'job'?), 'runtime'; "
        "columns 'number' (or 'job'), 'run_s' are missing"
    )
    frame = pandas.DataFrame({"job": [1], "submit_s": pandas.to_datetime(["2026-01-01"]), "run_s": [5]})
    frame["processors"] = 1
    with pytest.raises(BadFile, match=r"column .submit_s. holds datetime64.*it must be numbers, seconds"):
        simulate(frame, policy="fcfs", processors=2)


@pytest.mark.parametrize(
    ("options", "kind", "told"),
    [
        ({"tau": 0}, BadValue, "--tau"),
        ({"processors": 0}, BadValue, "--procs"),
        ({"overrun": "run"}, BadValue, "--overrun"),
        ({"policy": "easyy"}, UnknownName, "did you mean 'easy'?"),
        ({"set": {"ordr": "queue"}}, UnknownName, "did you mean 'order'?"),
        ({"log": "nowhere.swf"}, BadFile, "nowhere.swf"),
        ({"log": None}, BadInput, "a workload is needed"),
        ({"by": "colour"}, UnknownName, "colour"),
    ],
)
def test_what_cannot_be_used_is_an_exception(options: Any, kind: type[BadInput], told: str) -> None:
    with pytest.raises(kind, match=told.replace("?", r"\?")):
        simulate(**{"log": EXAMPLE, "policy": "easy", **options})


def test_that_no_job_could_run_is_a_result(tmp_path: Path) -> None:
    wide = log(tmp_path, "; MaxProcs: 2", record(1, 0, 10, 3))
    assert simulate(wide, policy="fcfs").metrics["refused"] == {"wider_than_machine": 1}


def test_the_columns_of_a_run_cannot_be_changed(small_run: Result) -> None:
    for name, column in small_run.schedule.items():
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
        assert len(column) == 4, name


def test_a_table_has_a_row_a_job(small_run: Result) -> None:
    pandas = pytest.importorskip("pandas")
    table = small_run.to_pandas()
    assert list(table.columns) == list(small_run.schedule)
    assert (table["start_s"] - table["submit_s"]).mean() == small_run.metrics["mean_wait_s"]
    assert isinstance(table, pandas.DataFrame)


def test_without_pandas_it_is_told_what_to_do(small_run: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        MissingExtra, match=r"needs pandas; install it with: pip install 'molokini\[pandas\]'"
    ):
        small_run.to_pandas()


@pytest.mark.deep
@pytest.mark.parametrize(
    ("what", "option"), [("overview", "--plot"), ("ecdf", "--ecdf"), ("convergence", "--convergence")]
)
def test_pictures_are_those_of_the_command(molokini: Command, tmp_path: Path, what: str, option: str) -> None:
    theirs, ours = tmp_path / "theirs.svg", tmp_path / "ours.svg"
    more = ("--jobs", 300, "--load-factor", 1.2, "--overrun", "extend")
    assert molokini("simulate", EXAMPLE, "--policy", "easy", *more, option, theirs).code == 0
    result = simulate(EXAMPLE, policy="easy", jobs=300, load_factor=1.2, overrun="extend")
    assert result.plot(what, file=ours).axes
    assert ours.read_bytes() == theirs.read_bytes()


def test_a_picture_that_there_is_not_is_refused_by_name(small_run: Result) -> None:
    with pytest.raises(UnknownName, match="did you mean 'overview'"):
        small_run.plot("overvew")


def test_a_schedule_is_written_as_by_the_command(molokini: Command, small: Path, tmp_path: Path) -> None:
    molokini("simulate", small, "--policy", "easy", "--schedule", tmp_path / "theirs.swf.gz")
    simulate(small, policy="easy").write(tmp_path / "ours.swf.gz")
    theirs, ours = ((tmp_path / name).read_bytes() for name in ("theirs.swf.gz", "ours.swf.gz"))
    assert gzip.decompress(ours) == gzip.decompress(theirs)


def test_help_names_every_argument() -> None:
    assert inspect.signature(simulate).return_annotation is Result
    named = inspect.signature(simulate).parameters
    assert next(iter(named)) == "log"
    assert {"policy", "processors", "set", "load_factor", "seed", "maui_config"} <= named.keys()
    assert "options of the command" in (simulate.__doc__ or "")


def test_on_nodes_a_schedule_tells_where_each_job_was(named: Path, tmp_path: Path) -> None:
    path = tmp_path / "on_nodes.csv"
    path.write_text(f"{NAMED}5,30,5,3,60,ann,\n")
    on_nodes = simulate(path, policy="fcfs", nodes=2, processors_per_node=2)
    places = on_nodes.schedule["nodes"].tolist()
    # 1 and 2 have a node each, 3 is wider than both, 4 follows 2, and 5 has both nodes after 1.
    assert places == ["node001:2", "node002:2", "", "node002:1", "node001:2;node002:1"]
    assert "nodes" not in simulate(named, policy="fcfs", processors=2).schedule
    wide = ["job,submit_s,run_s,processors", *(f"{number},{number},5,300" for number in range(1, 90))]
    path.write_text("\n".join(wide))
    many = simulate(path, policy="easy", nodes=1000, processors_per_node=1).schedule["nodes"]
    assert [len(text.split(";")) for text in many] == [300] * 89
    assert many[0].startswith("node0001:1;node0002:1;")
