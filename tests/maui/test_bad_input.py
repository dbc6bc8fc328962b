"""What is refused, each with its line and what would be right."""

import os
from pathlib import Path

import pytest

from molokini.maui import check, check_text, read_config
from molokini.maui.findings import Finding, Status
from molokini.model.errors import BadFile

NODES = frozenset({"n1", "n2", "io1"})


def refused(text: str, name: str = "maui.cfg", nodes: frozenset[str] | None = None) -> Finding:
    """The only thing that is refused in *text*."""
    report = check_text(text, name, nodes)
    assert report.config is None
    (one,) = report.refused
    return one


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("BACKFILPOLICY FIRSTFIT", "no parameter named 'BACKFILPOLICY'; did you mean 'BACKFILLPOLICY'?"),
        ("USERCFG[ann] MAXJOBS=3", "no attribute of USERCFG named 'MAXJOBS'; did you mean 'MAXJOB'?"),
        ("BACKFILLPOLICY FASTEST", "'FASTEST' is not allowed; it must be one of FIRSTFIT, BESTFIT"),
        ("RESERVATIONDEPTH many", "it must be a whole number from 0"),
        ("RESERVATIONDEPTH 1.5", "it must be a whole number"),
        ("RESERVATIONDEPTH -1", "it must be a whole number"),
        ("RESERVATIONDEPTH", "the value is missing"),
        ("RESERVATIONDEPTH[9] 1", "buckets are numbered from 0 to 7"),
        ("RESERVATIONDEPTH[x y] 1", "is not an index"),
        ("QUEUETIMEWEIGHT inf", "it must be a number"),
        ("QUEUETIMEWEIGHT 1e13", "it must be a number"),
        ("FSINTERVAL 0", "a time"),
        ("FSINTERVAL 12 hours", "a time"),
        ("FSDECAY 1.2", "from 0 to 1"),
        ("FSDEPTH 33", "from 1 to 32"),
        ("REJECTNEGPRIOJOBS maybe", "TRUE or FALSE"),
        ("BACKFILLPOLICY[3] NONE", "takes no index"),
        ("USERCFG MAXJOB=3", "needs the name of a user"),
        ("USERCFG[] MAXJOB=3", "needs the name of a user"),
        ("USERCFG[ann] MAXJOB = 3", "without spaces around ="),
        ("USERCFG[ann] MAXJOB=", "the value is missing"),
        ("USERCFG[ann] MAXJOB=5,4", "soft limit 5 is above hard limit 4"),
        ("USERCFG[ann] MAXJOB=0,4", "soft limit none (0) is above hard limit 4"),
        ("USERCFG[ann] MAXWC=2:00:00,1:00:00", "soft limit 7200 is above hard limit 3600"),
        ("USERCFG[ann] MAXJOB=1,2,3", "more than two limits"),
        ("MAXJOBPERUSERCOUNT 5,4", "soft limit 5 is above hard limit 4"),
        ("CLASSCFG[batch] MAXPROC[USER]=9,8", "soft limit 9 is above hard limit 8"),
        ("CLASSCFG[batch] MAXPROC[CAT]=8", "is not a limit of pairs"),
        ("CLASSCFG[batch] PRIORITY[1]=8", "is not a limit of pairs"),
        ("NODECFG[n1] SPEED[1]=8", "takes no index"),
        ("USERCFG[ann] OMAXJOB=3", "no attribute of USERCFG"),
        ("QOSCFG[fast] QFLAGS=NOBF:FLY", "no flag named 'FLY'"),
        ("QOSCFG[fast] QFLAGS=preemtor", "no flag named 'preemtor', the nearest is 'PREEMPTOR'; it must be"),
        ("USERCFG[ann] FSTARGET=50", "a fairshare target without a fairshare policy; set FSPOLICY"),
        ("FSPOLICY NONE\nSYSCFG[0] FSTARGET=50", "a fairshare target without a fairshare policy"),
        ("FSPOLICY DEDICATEDPS\nUSERCFG[ann] FSTARGET=150", "more than 100 percent"),
        ("FSPOLICY DEDICATEDPS\nUSERCFG[ann] FSTARGET=50!", "not a target"),
        ("FSPOLICY CPU", "one of NONE, DEDICATEDPS"),
        ("SRCFG[a] STARTTIME=17:00:00 ENDTIME=8:00:00", "never occurs: it ends at 08:00:00"),
        ("SRCFG[a] STARTTIME=8:00:00 ENDTIME=8:00:00", "never occurs"),
        ("SRCFG[a] STARTTIME=25:00:00", "starts after the end of the day (24:00:00)"),
        ("SRCFG[a] PERIOD=WEEK STARTTIME=8:00:00:00", "starts after the end of the week"),
        ("SRCFG[a] ENDTIME=30:00:00", "longer ranges need two reservations"),
        ("SRCFG[a] DEPTH=0", "never occurs"),
        ("SRCFG[a] DAYS=Mon,Funday", "it must be ALL, or days"),
        ("SRCFG[a] HOSTLIST=n[1", "is not a valid regular expression"),
        ("SRCFG[a] RESOURCES=CATS:1", "no resource named 'CATS'"),
        ("NODECFG[n1] PRIORITYF='SPEED + + AMEM'", "it must be a sum such as"),
        ("NODECFG[n1] PRIORITYF='SPEED AMEM'", "it must be a sum such as"),
        ("NODECFG[n1] SPEED=1000", "from 0.01 to 100"),
        ("SIMSTARTTIME 25:00", "no such time of day"),
        ("SERVERPORT 70000", "to 65,535"),
        ("LOGFILE 'open", "opened and not closed"),
    ],
)
def test_refused(text: str, cause: str) -> None:
    one = refused(text)
    assert cause in one.text
    assert one.line == text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "cause", "line"),
    [
        ("[backfil]\npolicy = 'NONE'", "no key named 'backfil'; did you mean 'backfill'?", 1),
        ("[backfill]\n\npolicies = 'NONE'", "did you mean 'policy'?", 3),
        ("[backfill]\npolicy = 3", "it must be one of FIRSTFIT", 2),
        ("[backfill]\ndepth = '3 or so'", "a whole number", 2),
        ("[backfill]\ndepth = true", "a whole number", 2),
        ("backfill = 3", "must be a table", 1),
        ("[users.ann.running]\njobs = [3, 2]", "soft limit 3 is above hard limit 2", 2),
        ("[users.ann]\nrunning.jobs = [3, 2, 1]", "soft not above hard", 2),
        ("[users.ann]\ntarget = 50", "a fairshare target without a fairshare policy", 2),
        ("[users.'a b']\npriority = 1", "is not a name of a user", 1),
        ("[[users.ann.pairs]]\ncounted = 'CATS'\nwhose = 'USER'\nlimit = 3", "counted: wrong", 1),
        ("[priority.by_partition.fast]\nqueue_tim = 3", "did you mean 'queue_time'?", 2),
        ("[priority]\nqueue_time = nan", "a number", 2),
        ("[standing.a]\nstart_s = '9:00:00'\nend_s = 60", "never occurs", 3),
        ("[backfill]\ndepth = 3\ndepth = 4", "cannot overwrite", 3),
        ("[reservations]\ndepth = {0 = 'x'}", "a whole number", 2),
        ("[", "", 1),
    ],
)
def test_refused_toml(text: str, cause: str, line: int) -> None:
    one = refused(text, "maui.toml")
    assert cause in one.text
    assert one.line == line


def test_all_troubles_are_found_in_one_run() -> None:
    text = "NOSUCH 1\nFSWEIGHT x\nUSERCFG[ann] MAXJOB=2,1 FSTARGET=5 NOSUCH=1\nBACKFILLDEPTH 5\n"
    report = check_text(text)
    assert [one.line for one in report.refused] == [1, 2, 3, 3, 3]
    assert len(report.findings) == 6


def test_what_hangs_on_a_refused_value_is_not_told_again() -> None:
    assert refused("FSPOLICY CATS\nUSERCFG[ann] FSTARGET=5").line == 1


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


def test_an_include_stands_for_its_lines(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "maui.cfg").write_text("BACKFILLDEPTH 1\n#INCLUDE parts/more.cfg\nBACKFILLDEPTH 3\n")
    (tmp_path / "parts" / "more.cfg").write_text("BACKFILLDEPTH 2\nRESERVATIONDEPTH 4\n#INCLUDE last.cfg\n")
    (tmp_path / "parts" / "last.cfg").write_text("FSWEIGHT 5")
    config = read_config(tmp_path / "maui.cfg")
    assert config.backfill.depth == 3
    assert config.reservations.depth == {"0": 4}
    assert config.priority.fairshare.value == 5


def test_a_trouble_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "maui.cfg").write_text("\n#INCLUDE more.cfg\n")
    (tmp_path / "more.cfg").write_text("\n\nNOSUCH 1\n")
    with pytest.raises(BadFile, match=r"more.cfg:3: NOSUCH: no parameter"):
        read_config(tmp_path / "maui.cfg")


def test_include_loops_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "a.cfg").write_text("#INCLUDE b.cfg\nNOSUCH 1\n")
    (tmp_path / "b.cfg").write_text("BACKFILLDEPTH 2\n#INCLUDE ./a.cfg\n#INCLUDE gone.cfg\n#INCLUDE\n")
    report = check(tmp_path / "a.cfg")
    places = {(Path(one.file).name, one.line) for one in report.refused}
    assert places == {("b.cfg", 2), ("b.cfg", 3), ("b.cfg", 4), ("a.cfg", 2)}
    texts = [one.text for one in report.refused]
    assert any("circular include: " in text for text in texts)
    assert any("No such file" in text for text in texts)
    assert any("no file is named" in text for text in texts)
    assert any("NOSUCH" in text for text in texts)
    assert len(texts) == 4


def test_very_many_includes_end(tmp_path: Path) -> None:
    for number in range(120):
        (tmp_path / f"{number}.cfg").write_text(f"#INCLUDE {number + 1}.cfg\n" * 2)
    report = check(tmp_path / "0.cfg")
    assert any("more than 100 files are included" in one.text for one in report.refused)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_bytes(b"BACKFILLDEPTH 1\n" * (10 * 2**20 // 16))
    with pytest.raises(BadFile, match="larger than 4 MiB"):
        read_config(path)


def test_nonsense_is_given_up_soon(tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text("".join(f"X{number} 1\n" for number in range(100_000)))
    report = check(path)
    assert len(report.refused) == 1001
    assert "the rest was not checked" in report.refused[-1].text


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"FSWEIGHT \xff\n", "not UTF-8"),
        (b"\x00\x01", "unprintable"),
        (b"FSWEIGHT 1\r\n", None),
        (b"", None),
    ],
)
def test_odd_files(tmp_path: Path, body: bytes, cause: str | None) -> None:
    path = tmp_path / "maui.cfg"
    path.write_bytes(body)
    if cause is None:
        read_config(path)
    else:
        with pytest.raises(BadFile, match=cause):
            read_config(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, cause in (("", "Is a directory|not a file"), ("gone", "No such file"), ("pipe", "not a file")):
        with pytest.raises(BadFile, match=cause):
            read_config(tmp_path / name)


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


def test_defaults_of_classes_that_nothing_follows_are_said_to_have_no_effect() -> None:
    names = ("PROC=2", "NODE=2", "MEM=512", "DISK=10", "NODESET=ONEOF:FEATURE:a", "EXT=x", "GRES=g", "OS=aix")
    report = check_text("CLASSCFG[a] " + " ".join(f"DEFAULT.{one}" for one in names))
    assert report.config is not None
    assert [one.status for one in report.findings] == [Status.WITHOUT_EFFECT] * len(names)
    assert all(one.cause for one in report.findings)
