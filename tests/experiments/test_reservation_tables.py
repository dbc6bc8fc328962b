"""Reservations as a site's tools print them: what is read, what is left out, and who may use them."""

from math import inf
from pathlib import Path

import pytest

from molokini.experiments import simulate
from molokini.experiments.logs import read_log
from molokini.experiments.reservation_tables import is_table, read_table
from molokini.model.dates import Clock
from molokini.model.errors import BadFile, BadInput
from tests.kit.slurm_files import CONF, SACCT

SIZES = {"n1": 4, "n2": 4, "n3": 4, "n10": 4}
CLOCK = Clock(zero_s=1000.0)
TABLE = """\
Name|NodeNames|TimeStart|TimeEnd|Flags
maint|n[1-2],gone9|1100|1400|MAINT,SPEC_NODES
maint|n[1-2]|5000|5400|MAINT,SPEC_NODES
course|n3|1100|Unknown|
old|n3|500|900|
elsewhere|gone[1-4]|1100|1400|
licences|n1|1100|1400|ANY_NODES
none|n1|1100|1100|
ReservationName=course StartTime=1100 EndTime=(null) Nodes=n3 Flags=DAILY Users=bob,nobody Accounts=(null)
ReservationName=project StartTime=1200 EndTime=1300 Nodes=n10 Flags= Users=(null) Accounts=a
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log in which a job of ann ran in the reservation ``course``."""
    head, *lines = SACCT.splitlines()
    lines = [f"{line}|{'course' if line.startswith('3|') else ''}" for line in lines]
    (tmp_path / "log").write_text("\n".join([f"{head}|Reservation", *lines]) + "\n")
    return tmp_path / "log"


def written(folder: Path, text: str) -> str:
    (folder / "reservations.txt").write_text(text)
    return str(folder / "reservations.txt")


def test_what_the_tools_print_is_read(log: Path, tmp_path: Path) -> None:
    jobs = read_log(str(log))
    path = written(tmp_path, TABLE)
    found = read_table(path, SIZES, CLOCK, jobs)
    assert [(one.name, one.start_s, one.end_s, dict(one.terms.hosts)) for one in found.reservations] == [
        ("course", 100.0, inf, {"n3": 4}),
        ("maint", 100.0, 400.0, {"n1": 4, "n2": 4}),
        ("project", 200.0, 300.0, {"n10": 4}),
        ("maint.2", 4000.0, 4400.0, {"n1": 4, "n2": 4}),
    ]
    course, maint, project, _ = found.reservations
    names = {jobs.name_of("user", row): str(int(jobs.user[row])) for row in range(len(jobs))}
    # Those whom it names, and ann, whose job ran in it.
    assert dict(course.access) == {"user": tuple(sorted((names["ann"], names["bob"])))}
    assert dict(maint.access) == {}
    (account,) = project.access["account"]
    assert jobs.name_of_number("account", int(account)) == "a"
    assert found.notes == [
        f"{path}: 4 reservations, 2 processor-hours in all",
        f"{path}: 1 reservation of no node of the machine: left out",
        f"{path}: 1 reservation over before the first submission: left out",
        f"{path}: 1 reservation that end as they begin: left out",
        f"{path}: 1 reservation without fixed nodes or times: left out",
        f"{path}: 1 reservation repeated: only what is printed of each counts",
    ]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Name|NodeNames|TimeStart|TimeEnd\nm|n1|soon|1400\n", "TimeStart"),
        ("Name|NodeNames|TimeStart|TimeEnd\nm|n[1-|1100|1400\n", "n[1-"),
        ("Name|NodeNames|TimeStart|TimeEnd\nm|n1||1400\n", "TimeStart"),
    ],
)
def test_a_line_that_says_nothing_sensible_is_named(text: str, cause: str, log: Path, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    assert is_table(path)
    with pytest.raises(BadFile) as met:
        read_table(path, SIZES, CLOCK, read_log(str(log)))
    assert met.value.line == 2
    assert cause in str(met.value)


def test_a_machine_without_names_has_no_such_reservations(log: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the machine has none by name"):
        read_table(written(tmp_path, TABLE), {}, CLOCK, read_log(str(log)))


def test_what_is_no_table_is_read_as_before(tmp_path: Path) -> None:
    assert not is_table(written(tmp_path, '[[reservations]]\nname = "a|timestart"\n'))
    assert not is_table(str(tmp_path / "nowhere"))


def test_a_replay_keeps_clear_of_them(log: Path, tmp_path: Path) -> None:
    conf = str(tmp_path / "slurm.conf")
    Path(conf).write_text(CONF.replace("associations,\\\nlimits,qos", "nosteps"))
    path = written(tmp_path, "Name|NodeNames|TimeStart|TimeEnd|Flags\nmaint|n[1-3,10],gpu1|900|90000|MAINT\n")
    plain = simulate(str(log), policy="slurm", slurm_conf=conf)
    kept = simulate(str(log), policy="slurm", slurm_conf=conf, reservations=path)
    assert plain.metrics["mean_wait_s"] < 600 < 80_000 < kept.metrics["mean_wait_s"]
    assert f"{path}: 1 reservation, 792 processor-hours in all" in kept.notes


def test_licences_of_a_reservation_are_read(tmp_path: Path) -> None:
    head, *lines = SACCT.splitlines()
    lines = [f"{line}|{'matlab:2' if line.startswith('3|') else ''}" for line in lines]
    (tmp_path / "log").write_text("\n".join([f"{head}|Licenses", *lines]) + "\n")
    jobs = read_log(str(tmp_path / "log"))
    text = """\
Name|NodeNames|TimeStart|TimeEnd|Flags|TRES
both|n1|1100|1400||cpu=4,license/matlab=1
unused||1100|1400|ANY_NODES|license/fluent=1
ReservationName=lic StartTime=1100 EndTime=1400 Nodes=(null) Flags=ANY_NODES Licenses=matlab:2,fluent:3
"""
    found = read_table(written(tmp_path, text), SIZES, CLOCK, jobs).reservations
    assert [(one.name, one.processors, dict(one.terms.licenses)) for one in found] == [
        ("both", 4, {"0": 1}),
        ("lic", 0, {"0": 2}),
    ]
    with pytest.raises(BadFile, match="Licenses"):
        read_table(written(tmp_path, text.replace("matlab:2", "matlab:x")), SIZES, CLOCK, jobs)
