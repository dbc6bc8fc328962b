"""Older spellings mean what the newer ones do."""

import pytest

from molokini.maui import check_text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("QOSNAME[1] high\nQOSPRIORITY[1] 100\nQOSFLAGS[1] NOBF", "QOSCFG[high] PRIORITY=100 QFLAGS=NOBF"),
        ("QOSPRIORITY[2] 7", "QOSCFG[2] PRIORITY=7"),
        (
            "SRNAME[0] day\nSRSTARTTIME[0] 8:00:00\nSRENDTIME[0] 9:00:00",
            "SRCFG[day] STARTTIME=8:00:00 ENDTIME=9:00:00",
        ),
        ("SRNAME day\nSRUSERLIST[0] ann bob", "SRCFG[day] USERLIST=ann,bob"),
        # As in the maui.cfg that Maui comes with.
        (
            "SRSTARTTIME[test] 8:00:00\nSRENDTIME[test] 17:00:00\nSRDAYS[test] MON TUE\nSRTASKCOUNT[test] 2\n"
            "SRMAXTIME[test] 1:00:00",
            "SRCFG[test] STARTTIME=8:00:00 ENDTIME=17:00:00 DAYS='MON TUE' TASKCOUNT=2 MAXTIME=1:00:00",
        ),
        ("QOSPRIORITY[low] 7\nRMTYPE[base] PBS", "QOSCFG[low] PRIORITY=7\nRMCFG[base] TYPE=PBS"),
        ("ADMINHOST a,b", "ADMINHOSTS a b"),
        ("RMTYPE[0] PBS\nRMSERVER[0] host\nRMTIMEOUT[0] 9", "RMCFG[0] TYPE=PBS SERVER=host TIMEOUT=9"),
        ("MAXJOBPERUSERCOUNT 3,4", "USERCFG[DEFAULT] MAXJOB=3,4"),
        ("MAXPROCPERGROUP 8", "GROUPCFG[DEFAULT] MAXPROC=8"),
        ("SMAXJOBPERACCOUNT 3\nMAXJOBPERACCOUNT 4", "ACCOUNTCFG[DEFAULT] MAXJOB=3,4"),
        ("MAXPROCSECONDPERUSERCOUNT 100", "USERCFG[DEFAULT] MAXPS=100"),
        ("MAXJOBQUEUEDPERUSERCOUNT 5", "USERCFG[DEFAULT] MAXIJOB=5"),
        ("MAXNODEPERCLASSCOUNT 5\nMAXNODEPERCLASSPOLICY OFF", "CLASSCFG[DEFAULT] MAXNODE=0"),
        ("usercfg[default] PRIORITY=3", "USERCFG[DEFAULT] PRIORITY=3"),
        ("RESERVATIONQOSLIST[0] a b:c", "RESERVATIONQOSLIST[0] a,b,c"),
        ("SCHEDULINGCRITERIA PROCSECONDS", "BACKFILLMETRIC procseconds"),
        ("FSPOLICY ON", "FSPOLICY DEDICATEDPS"),
        ("FSPOLICY PSDEDICATED%", "FSPOLICY DEDICATEDPS%"),
        ("FSPOLICY ON\nCLASSCFG[a] FSTARGET=5%", "FSPOLICY ON\nCLASSCFG[a] FSTARGET=5~"),
    ],
)
def test_two_ways_to_say_one_thing(old: str, new: str) -> None:
    assert check_text(old).checked() == check_text(new).checked()
