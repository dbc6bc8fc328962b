"""What must go together in a configuration, and what is noted of values that do not."""

import pytest

from molokini.maui import check_text
from tests.kit.maui_file import refused

NODES = frozenset({"n1", "n2", "io1"})


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("RESERVATIONDEPTH[9] 1", "buckets are numbered from 0 to 7"),
        ("USERCFG[ann] FSTARGET=50", "a fairshare target without a fairshare policy; set FSPOLICY"),
        ("FSPOLICY NONE\nSYSCFG[0] FSTARGET=50", "a fairshare target without a fairshare policy"),
        ("SRCFG[a] STARTTIME=17:00:00 ENDTIME=8:00:00", "never occurs: it ends at 08:00:00"),
        ("SRCFG[a] STARTTIME=8:00:00 ENDTIME=8:00:00", "never occurs"),
        ("SRCFG[a] STARTTIME=25:00:00", "starts after the end of the day (24:00:00)"),
        ("SRCFG[a] PERIOD=WEEK STARTTIME=8:00:00:00", "starts after the end of the week"),
        ("SRCFG[a] ENDTIME=30:00:00", "longer ranges need two reservations"),
        ("SRCFG[a] DEPTH=0", "never occurs"),
        ("SRCFG[a] HOSTLIST=n[1", "is not a valid regular expression"),
    ],
)
def test_values_that_do_not_go_together_are_refused_where_they_stand(text: str, cause: str) -> None:
    one = refused(text)
    assert cause in one.text
    assert one.line == text.count("\n") + 1


def test_nodes_are_checked_where_they_are_known() -> None:
    good = "SRCFG[a] HOSTLIST=n1,n[12],ALL\nNODECFG[n2] SPEED=2\nNODECFG[DEFAULT] SPEED=1"
    assert check_text(good, nodes=NODES).config is not None
    for text in ("SRCFG[a] HOSTLIST=n1,n3", "SRCFG[a] HOSTLIST=n[3-9]"):
        assert "a reservation on unknown nodes: there is no node" in refused(text, nodes=NODES).text
        assert check_text(text).config is not None
    assert "there is no node 'n9'" in refused("NODECFG[n9] SPEED=2", nodes=NODES).text


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("NODECFG[n1] FEATURES=big\nSRCFG[a] NODEFEATURES=big,fast", 2, "no NODECFG has FEATURES=fast"),
        ("NODECFG[n1] PARTITION=old\nSRCFG[a] PARTITION=new", 2, "no NODECFG has PARTITION=new"),
    ],
)
def test_reservations_that_may_be_nowhere_are_told(text: str, line: int, said: str) -> None:
    report = check_text(text, nodes=NODES)
    assert report.config is not None
    [found] = [one for one in report.findings if said in one.note]
    assert found.line == line
    cleared = text.replace("fast", "big").replace("new", "old")
    assert not [one for one in check_text(cleared, nodes=NODES).findings if "no NODECFG" in one.note]


def test_a_class_whose_own_limit_its_jobs_would_be_over_is_noted() -> None:
    report = check_text("CLASSCFG[DEFAULT] MAX.WCLIMIT=1:00:00\nCLASSCFG[long] DEFAULT.WCLIMIT=2:00:00\n")
    assert report.config is not None
    (one,) = [finding for finding in report.findings if finding.note]
    assert one.line == 2
    assert "they get 02:00:00 (DEFAULT.WCLIMIT), and MAX.WCLIMIT is 01:00:00" in one.note
    fits = check_text("CLASSCFG[DEFAULT] MAX.WCLIMIT=1:00:00\nCLASSCFG[long] DEFAULT.WCLIMIT=1:00:00\n")
    assert not [finding for finding in fits.findings if finding.note]


def test_features_that_no_node_has_are_noted() -> None:
    lines = ("NODECFG[n1] FEATURES=fast", "CLASSCFG[io] DEFAULT.FEATURES=fast,io", "QOSFEATURES[high] big")
    report = check_text("\n".join((*lines, "CLASSCFG[x] DEFAULT.FEATURES=fast", "QOSCFG[high] PRIORITY=1")))
    notes = {one.line: one.note for one in report.findings if one.note}
    assert notes == {
        2: "no NODECFG has FEATURES=io: no node suits these jobs",
        3: "no NODECFG has FEATURES=big: no node suits these jobs",
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SRCFG[n] USERLIST=nobody", "the whole machine, at all times: other jobs never start"),
        ("SRCFG[n] PERIOD=INFINITY CLASSLIST=a", "at all times"),
        ("SRCFG[n] CLASSLIST=a STARTTIME=8:00:00 ENDTIME=9:00:00", "while it lasts: other jobs wait"),
        ("SRCFG[n] CLASSLIST=a DAYS=Mon", "while it lasts"),
        ("SRCFG[n] USERLIST=nobody TASKCOUNT=4", ""),
        ("SRCFG[n] USERLIST=nobody HOSTLIST=n1", ""),
    ],
)
def test_a_reservation_of_the_whole_machine_is_noted(line: str, said: str) -> None:
    notes = [one.note for one in check_text(line).findings if one.note]
    assert bool(notes) == bool(said)
    assert all(said in note for note in notes)


@pytest.mark.parametrize(
    ("words", "longest"),
    [
        ("STARTTIME=8:00:00 ENDTIME=18:00:00", "14:00:00"),
        ("DAYS=Mon,Tue,Wed,Thu,Fri STARTTIME=8:00:00 ENDTIME=18:00:00", "2:14:00:00"),
        ("PERIOD=WEEK STARTTIME=1:06:00:00 ENDTIME=1:10:00:00", "6:20:00:00"),
        ("DAYS=Mon", "6:00:00:00"),
        ("PERIOD=DAY", ""),
        ("PERIOD=INFINITY", ""),
        ("STARTTIME=8:00:00 ENDTIME=18:00:00 ACCESS=SHARED", ""),
    ],
)
def test_the_longest_job_between_two_instances_is_noted(words: str, longest: str) -> None:
    notes = [
        one.note for one in check_text(f"SRCFG[n] USERLIST=ann TASKCOUNT=4 {words}").findings if one.note
    ]
    assert [f"longer than {longest}, the longest time" in note for note in notes] == [True] * bool(longest)
    whole = [one.note for one in check_text(f"SRCFG[n] USERLIST=ann {words}").findings if one.note]
    assert any(f"those longer than {longest} never start" in note for note in whole) == bool(longest)
