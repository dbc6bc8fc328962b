"""Associations and QOSes out of what sacctmgr writes: a dump, tables, and sshare's usage."""

import math

import pytest

from molokini.slurm import check_text
from molokini.slurm.conf_reading import Report
from molokini.slurm.database import PARENT, Accounting
from molokini.slurm.writing import dump_of
from tests.kit.slurm_files import DUMP, QOS

ASSOC = """\
Cluster|Account|User|Share|GrpTRES|MaxJobs|MaxWall|QOS|Def QOS|ParentName
tiny|root|||||||normal|
tiny|root|root|1||||||
tiny|a||2|cpu=4|||||root
tiny|c||parent||||normal||root
tiny|d||3||||||c
tiny|a|ann|1||3||||
other|zoo||1||||||root
"""


def read(*texts: str) -> Report:
    named = [(f"file{at}", text) for at, text in enumerate(texts)]
    return check_text("ClusterName=tiny\n", accounts=named)


def accounting(*texts: str) -> Accounting:
    return read(*texts).checked().accounting


def test_a_dump() -> None:
    found = accounting(DUMP, QOS)
    assert [(one.account, one.user, one.parent) for one in found.associations] == [
        ("root", "", ""),
        ("root", "root", "root"),
        ("a", "", "root"),
        ("c", "", "root"),
        ("a", "ann", "a"),
        ("d", "", "c"),
        ("d", "bob", "d"),
        ("d", "ann", "d"),
    ]
    rows = {(one.account, one.user): one for one in found.associations}
    assert rows["a", ""].grp_tres == (("cpu", 4.0),)
    assert rows["c", ""].shares == PARENT
    assert (rows["a", "ann"].max_jobs, rows["a", "ann"].qos) == (3, ("+high",))
    assert rows["d", ""].max_wall_s == 120 * 60
    assert rows["d", "ann"].partition == "low"


@pytest.mark.parametrize(
    ("own", "names"),
    [
        ("", ("normal", "low")),
        (":QOS='+high'", ("normal", "low", "high")),
        (":QOS='-low,+high'", ("normal", "high")),
        (":QOS='high'", ("high",)),
    ],
)
def test_lists_of_qos_change_those_above(own: str, names: tuple[str, ...]) -> None:
    above = "Cluster - 'tiny':QOS='normal'\nParent - 'root'\nAccount - 'a':QOS='+low'\nParent - 'a'\n"
    found = accounting(f"{above}User - 'ann':Fairshare=1{own}\n")
    row = next(one for one in found.associations if one.user == "ann")
    assert found.qos_of(row) == names


def test_qos_of_a_table() -> None:
    normal, high, _ = accounting(DUMP, QOS).qos
    assert (normal.name, normal.max_wall_s) == ("normal", math.inf)
    assert (high.priority, high.preempt, high.preempt_mode, high.grace_s) == (100, ("normal",), "requeue", 30)
    assert high.flags == {"denyonlimit", "nodecay"}
    assert (high.usage_factor, high.max_jobs_user, high.max_tres_user) == (2, 2, (("cpu", 4.0),))
    assert high.max_wall_s == 86_400


def test_a_table_of_associations_and_the_other_cluster_is_counted() -> None:
    report = read(ASSOC)
    found = report.checked().accounting
    assert {(one.account, one.user, one.parent) for one in found.associations} == {
        ("root", "", ""),
        ("root", "root", "root"),
        ("a", "", "root"),
        ("c", "", "root"),
        ("d", "", "c"),
        ("a", "ann", "a"),
    }
    assert any("1 rows are of the cluster 'other'" in one.note for one in report.findings)


def test_sshare_gives_usage_to_rows_that_are_there() -> None:
    text = "Account|User|RawShares|NormShares|RawUsage\nroot||||100\n a|ann|1|0.5|77\n"
    found = accounting(DUMP, text)
    assert next(one.usage_s for one in found.associations if one.user == "ann" and not one.partition) == 77


def test_indentation_tells_the_tree() -> None:
    text = "Account|User|Share\nroot||1\n c||2\n  d||3\n  d|bob|1\n a||1\n"
    rows = {(one.account, one.user): one.parent for one in accounting(text).associations}
    assert rows == {("root", ""): "", ("c", ""): "root", ("d", ""): "c", ("d", "bob"): "d", ("a", ""): "root"}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Account|User|Share\nroot||1\na||\nb|x", "2 cells where the header has 3: the file is cut short"),
        ("Job|State\n1|x", "the header has neither Account"),
        ("what is this\n", "is no line of a dump"),
        ("Account - 'a':GrpTRES=cpu\n", "'cpu' is not allowed; it must be TRES=number"),
        ("# nothing\n", "holds no association and no QOS"),
        ("JobID|User|Account\n1|ann|a\n", "it is a table of jobs (sacct): give what sacctmgr -P show assoc"),
    ],
)
def test_what_is_wrong_is_refused(text: str, cause: str) -> None:
    assert any(cause in one.cause for one in read(text).refused)


def test_rows_below_an_account_without_a_row_are_kept_and_counted() -> None:
    report = read("Parent - 'ghost'\nUser - 'ann':Fairshare=1\n")
    rows = [(one.account, one.user, one.parent) for one in report.checked().accounting.associations]
    assert rows == [("root", "", ""), ("ghost", "", "root"), ("ghost", "ann", "ghost")]
    assert any("none of their own: taken as below root" in one.cause for one in report.findings)


def test_a_dump_that_is_written_reads_back_to_the_same() -> None:
    before = accounting(DUMP, QOS)
    assert accounting("\n".join(dump_of(before))) == before
