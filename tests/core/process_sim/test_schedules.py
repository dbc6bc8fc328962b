"""Schedules of the job level as input: which jobs are taken, and which files are refused, in which words."""

from pathlib import Path

import pytest

from molokini.model.errors import BadInput
from molokini.process_sim.scenario import Scenario
from molokini.process_sim.scenario_files import read_scenario

HEAD = "job,submit_s,start_s,end_s,processors\n"


def scenario(tmp_path: Path, text: str | bytes, more: str = "") -> Scenario:
    (tmp_path / "s.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    file = tmp_path / "f.toml"
    file.write_text(f'nodes = 2\n[schedule]\nfile = "s.csv"\n{more}')
    return read_scenario(str(file)).made()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + "1,0,5\n", "no job of this schedule ever started"),
        (HEAD + "1,0,5,6\n", "s.csv:2: processors: nan is not from 1 to 1,000,000,000"),
        (HEAD + "1,0,5,6,inf\n", "s.csv:2: processors: inf is not from 1"),
        (HEAD + "1,0,5,6,-1\n", "s.csv:2: processors: -1 is not from 1"),
        (HEAD + "1,0,5,6,two\n", "s.csv:2: could not convert string to float: 'two'"),
        (HEAD + "1,0,5,1e300,1\n", "job 1 ran from 5 to 1e+300 s"),
        (HEAD + "1,0,1e300,1e300,1\n", "job 1 ran from 1e+300 to 1e+300 s"),
        (HEAD + "1,0,5,6,10000000\n", "10,000,000 processes with 100,000,000,000,000 channels need"),
        (
            HEAD + "".join(f"{k},0,5,6,3000\n" for k in range(100)),
            "300,000 processes with 900,000,000 channels need",
        ),
        (b"\xff\xfe" + HEAD.encode(), "no CSV file of a schedule"),
        ("", "no column start_s; a schedule has start_s, end_s, processors"),
        (HEAD, "no job of this schedule ever started"),
    ],
)
def test_a_bad_schedule_is_refused(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(BadInput) as raised:
        scenario(tmp_path, text)
    assert words in str(raised.value)
    assert "s.csv" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    for name in ("a\\u0000b", "", "."):
        (tmp_path / "f.toml").write_text(f'[schedule]\nfile = "{name}"\n')
        with pytest.raises(BadInput):
            read_scenario(str(tmp_path / "f.toml"))


def test_any_year_of_a_long_schedule_can_be_chosen(tmp_path: Path) -> None:
    rows = "".join(f"{k},0,{k * 30_000_000},{k * 30_000_000 + 60},{k}\n" for k in range(1, 5))
    made = scenario(tmp_path, HEAD + rows, 'from = "59999990s"\nfor = "1h"\n')
    assert [(one.name, one.arrival_ns, len(one.processes)) for one in made.jobs] == [("2", 10 * 10**9, 2)]


def test_the_first_jobs_are_taken_that_start_in_the_time(tmp_path: Path) -> None:
    rows = "".join(f"{k},0,{k},{k + 1},1\n" for k in range(10))
    made = scenario(tmp_path, HEAD + rows, 'from = "2s"\nfor = "6s"\nmost = 4\n')
    assert [one.name for one in made.jobs] == ["2", "3", "4", "5"]
    made = scenario(tmp_path, HEAD + rows, 'from = "2s"\nfor = "3s"\n')
    assert [one.name for one in made.jobs] == ["2", "3", "4"]


def test_comments_and_jobs_that_were_refused_are_no_jobs(tmp_path: Path) -> None:
    rows = "1,0,,,4\n2,0,5,,4\n3,0,5,6,0\n4,0,5,6,2\n# the end\n"
    made = scenario(tmp_path, "# molokini: a schedule\n" + HEAD + rows)
    assert [(one.name, one.arrival_ns, len(one.processes)) for one in made.jobs] == [("4", 5 * 10**9, 2)]
