"""``config check`` says where REJECTNEGPRIOJOBS can keep jobs waiting on an idle machine."""

import pytest

from molokini.maui import check_text

FAIRSHARE = "FSPOLICY DEDICATEDPS\nFSUSERWEIGHT 1\n"
BLOCKING = [
    (FAIRSHARE + "USERCFG[DEFAULT] FSTARGET=20", "a user above its FSTARGET"),
    (FAIRSHARE + "USERCFG[ann] FSTARGET=20-", "a user above its FSTARGET"),
    ("FSPOLICY DEDICATEDPS\nFSCLASSWEIGHT 3\nCLASSCFG[long] FSTARGET=20", "a class above its FSTARGET"),
    ("FSPOLICY DEDICATEDPS\nFSUSERWEIGHT -1\nUSERCFG[ann] FSTARGET=20+", "a user above its FSTARGET"),
    ("QOSWEIGHT 1\nQOSCFG[low] PRIORITY=-100", "the PRIORITY of a qos counts below 0"),
    ("GROUPWEIGHT -1\nGROUPCFG[a] PRIORITY=5", "the PRIORITY of a group counts below 0"),
    ("QUEUETIMEWEIGHT -1", "the weight of queue time is negative"),
    ("PROCWEIGHT 2\nRESWEIGHT -3", "the weight of processors is negative"),
    ("BYPASSWEIGHT -1", "BYPASSWEIGHT is negative"),
]
HARMLESS = [
    "",
    FAIRSHARE + "USERCFG[ann] FSTARGET=20+",
    FAIRSHARE + "USERCFG[ann] FSTARGET=20%",
    FAIRSHARE + "FSWEIGHT 0\nUSERCFG[ann] FSTARGET=20",
    "FSPOLICY DEDICATEDPS\nFSUSERWEIGHT 0\nUSERCFG[ann] FSTARGET=20",
    "QOSCFG[low] PRIORITY=-100\nQOSWEIGHT 0",
    "QOSWEIGHT 1\nCREDWEIGHT 0\nQOSCFG[low] PRIORITY=-100",
    "PROCWEIGHT -2\nRESWEIGHT -3",
]


def notes(text: str) -> list[str]:
    return [one.note for one in check_text(text).findings if one.parameter == "REJECTNEGPRIOJOBS"]


@pytest.mark.parametrize(("text", "way"), BLOCKING)
def test_what_can_block_on_an_idle_machine_is_told(text: str, way: str) -> None:
    [note] = notes(text + "\nREJECTNEGPRIOJOBS TRUE\n")
    assert "keeps jobs from starting even on an idle machine" in note
    assert way in note
    assert notes(text + "\nREJECTNEGPRIOJOBS FALSE\n") == [""]


@pytest.mark.parametrize("text", HARMLESS)
def test_where_no_priority_can_be_negative_nothing_is_told(text: str) -> None:
    assert notes(text + "\nREJECTNEGPRIOJOBS TRUE\n") == [""]
