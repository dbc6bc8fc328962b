"""Weights, caps, priorities and targets have an effect together, or what they lack is said."""

import pytest

from molokini.maui import check_text
from molokini.maui.findings import Status

ON = "FSPOLICY DEDICATEDPS\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("FSPOLICY DEDICATEDPS\nFSWEIGHT 10\nUSERCFG[ann] FSTARGET=30", "FSUSERWEIGHT is 0"),
        ("FSWEIGHT 10\nFSUSERWEIGHT 1", "FSPOLICY is NONE"),
        ("USERCFG[ann] PRIORITY=5", "USERWEIGHT is 0"),
        ("SERVICEWEIGHT 0\nXFACTORWEIGHT 1", "SERVICEWEIGHT is 0"),
        ("CREDWEIGHT 3", "USERWEIGHT, GROUPWEIGHT, ACCOUNTWEIGHT, QOSWEIGHT, CLASSWEIGHT are all 0"),
        ("USERWEIGHT 3", "no USERCFG has a PRIORITY"),
        ("USERCAP 3", "USERWEIGHT is 0"),
        ("USERWEIGHT 3\nCREDWEIGHT 0\nUSERCFG[a] PRIORITY=1", "CREDWEIGHT is 0"),
        (ON + "FSUSERWEIGHT 1\nFSWEIGHT 2\nUSERCFG[a] FSTARGET=5~", "no USERCFG has an FSTARGET that is"),
        ("TARGETQUEUETIMEWEIGHT 3", "no QOSCFG has a QTTARGET"),
        ("TARGETXFACTORWEIGHT 3", "no QOSCFG has an XFTARGET"),
        ("QOSCFG[DEFAULT] QTTARGET=1:00", "TARGETQUEUETIMEWEIGHT is 0"),
        ("SPVIOLATIONWEIGHT 3", "no limit is set that a job could violate"),
        ("XFMINWCLIMIT 100", "no expansion factor has a weight"),
        ("BYPASSCAP 3", "BYPASSWEIGHT is 0"),
        ("BYPASSWEIGHT 3\nBACKFILLPOLICY NONE", "BACKFILLPOLICY is NONE"),
        ("JOBPRIOACCRUALPOLICY ALWAYS", "no limit is set that could block a job"),
        ("SYSCFG PRIORITY=4", "the whole system has no factor in a priority"),
    ],
)
def test_what_a_weight_or_what_it_weighs_lacks_is_said(text: str, said: str) -> None:
    report = check_text(text)
    assert report.config is not None
    idle = [one for one in report.findings if one.status is Status.WITHOUT_EFFECT]
    assert [one for one in idle if said in one.cause], [one.cause for one in idle]


@pytest.mark.parametrize(
    "text",
    [
        "FSPOLICY DEDICATEDPS\nFSWEIGHT 10\nFSUSERWEIGHT 1\nUSERCFG[ann] FSTARGET=30",
        "FSPOLICY DEDICATEDPS\nUSERCFG[ann] FSTARGET=30~",
        "USERWEIGHT 2\nUSERCAP 4\nUSERCFG[ann] PRIORITY=5",
        "QOSCFG[a] XFWEIGHT=3\nXFMINWCLIMIT 100\nGROUPCFG[g] QDEF=a",
        "USERCFG[ann] MAXJOB=3\nJOBPRIOACCRUALPOLICY ALWAYS\nSPVIOLATIONWEIGHT 3",
        "GROUPCFG[g] CLASSWEIGHT=3\nCLASSCFG[c] PRIORITY=3",
        "QOSCFG[DEFAULT] QTTARGET=1:00\nTARGETQUEUETIMEWEIGHT 1",
        "XFACTORWEIGHT 3\nXFMINWCLIMIT 100",
        "BYPASSWEIGHT 3\nBYPASSCAP 9",
    ],
)
def test_nothing_is_lacking_where_all_is_there(text: str) -> None:
    report = check_text(text)
    assert report.config is not None
    assert {one.status for one in report.findings} == {Status.UNDERSTOOD}
    assert not [one for one in report.findings if one.cause]
