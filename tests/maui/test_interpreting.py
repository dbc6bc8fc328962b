"""What lines of maui.cfg say; what is wrong is refused, each with its line and what would be right."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from molokini.maui import check_text
from molokini.maui.parameters import OBJECT_TYPES, PARAMETERS
from tests.kit.maui_file import refused


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
        ("FSPOLICY DEDICATEDPS\nUSERCFG[ann] FSTARGET=150", "more than 100 percent"),
        ("FSPOLICY DEDICATEDPS\nUSERCFG[ann] FSTARGET=50!", "not a target"),
        ("FSPOLICY CPU", "one of NONE, DEDICATEDPS"),
        ("SRCFG[a] DAYS=Mon,Funday", "it must be ALL, or days"),
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


_NAMES = st.sampled_from(
    [*PARAMETERS, *OBJECT_TYPES, "QOSNAME", "SRFLAGS", "RMTYPE", "SMAXJOBPERUSER", "MAXPEPERQOS"]
)
_INDICES = st.sampled_from(["", "[0]", "[DEFAULT]", "[x]", "[1]", "[]", "[a b]", "[²]"])
_SIGNS = st.text("0123456789.,:;|+-~%^*!=[]()'\"#aMUSER \t²é", max_size=12)
_ATTRIBUTES = st.sampled_from(sorted({name for one in OBJECT_TYPES.values() for name in one.attributes}))
_PAIRS = st.sampled_from(["", "[USER]", "[USER:ann]", "[]", "[x:y:z]"])
_WORDS = _SIGNS | st.builds("{}{}={}".format, _ATTRIBUTES, _PAIRS, _SIGNS)
_LINES = st.builds("{}{} {} {}".format, _NAMES, _INDICES, _WORDS, _WORDS) | st.text(max_size=40)


@given(st.lists(_LINES, max_size=8).map("\n".join))
@settings(deadline=None, max_examples=120)
@example("NODESETLIST '²'")
@example("RESERVATIONDEPTH[²] 1")
@example("QOSNAME[1] 'a b'\nQOSPRIORITY[1] 5")
def test_nonsense_in_maui_cfg(text: str) -> None:
    report = check_text(text)
    assert (report.config is None) == bool(report.refused)
    assert all(one.line for one in report.refused)
    for one in report.findings:
        assert one.meaning or one.cause


def test_lines_of_one_object_add_up_and_later_ones_count() -> None:
    report = check_text(
        "USERCFG[ann] MAXJOB=3 PRIORITY=1\nUSERCFG[ann] MAXJOB=4 MAXPROC[USER]=3 MAXPROC[USER]=5"
    )
    ann = report.checked().users["ann"]
    assert ann.running.jobs is not None
    assert (ann.running.jobs.hard, ann.priority, len(ann.pairs), ann.pairs[0].limit.hard) == (4, 1, 1, 5)
    assert [one.note for one in report.findings if one.note] == ["set again in line 2, which counts"] * 2
