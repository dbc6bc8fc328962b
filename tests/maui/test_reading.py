"""From a file to a configuration, or to what is wrong in it."""

from pathlib import Path

import pytest

from molokini.maui import check, check_text
from molokini.maui.findings import Status
from molokini.policies.maui.configuration.words import Charge


@pytest.mark.parametrize(
    "line", ["#include foo", "#Include foo.cfg", "# INCLUDE foo.cfg", "  #INCLUDE a.cfg"]
)
def test_an_include_in_another_spelling_is_noted(line: str, tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text(f"BACKFILLDEPTH 2\n{line}\n")
    [_, found] = check(path).findings
    assert (found.line, found.status) == (2, Status.WITHOUT_EFFECT)
    assert "only #INCLUDE" in found.cause


@pytest.mark.parametrize(
    "line", ["# include the whole week", "# include all", "#included", "# included foo.cfg"]
)
def test_a_comment_that_speaks_of_including_is_a_comment(line: str, tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text(f"{line}\nBACKFILLDEPTH 2\n")
    assert len(check(path).findings) == 1


# As printed in Jackson, Snell and Clement 2001, figure 5, comments at the ends of lines included.
FIGURE_5 = """\
FSPOLICY PSDEDICATED # by processor-seconds
FSINTERVAL 12:00:00 # half a day
FSDEPTH      14 #
FSDECAY      0.80 # older counts less
FSWEIGHT     100
USERFSWEIGHT 2
GROUPFSWEIGHT 1
QOSFSWEIGHT 10
CLASSFSWEIGHT 4

UserCfg[BigKahuna]   FSTARGET=50    # a target
GroupCfg[staff]      FSTARGET=10.0- # a ceiling
QOSCfg[HighPriority] FSTARGET=40.0+ # a floor
ClassCfg[interactive] FSTARGET=15.0~ # a cap
                           # and a comment alone
"""


def test_the_published_configuration_is_understood_whole() -> None:
    report = check_text(FIGURE_5)
    config = report.checked()
    idle = {one.parameter: one.cause for one in report.findings if one.status != "understood"}
    # The figure is of fairshare alone: nobody is given the QOS; the class has a cap, which needs no weight.
    assert idle == {
        "CLASSFSWEIGHT": "no CLASSCFG has an FSTARGET that is weighed",
        "QOSCFG[HighPriority] FSTARGET": "no QDEF or QLIST names this QOS: no job has it",
    }
    assert len(report.findings) == 13
    assert (config.fairshare.policy.metric, config.fairshare.interval_s) == (
        Charge.DEDICATED_PROCESSOR_SECONDS,
        43_200,
    )
    assert (config.fairshare.depth, config.fairshare.decay) == (14, 0.8)
    weights = config.priority
    assert (weights.fairshare.value, weights.fairshare_user, weights.fairshare_class) == (100, 2, 4)
    targets = [
        config.users["BigKahuna"].target,
        config.groups["staff"].target,
        config.qos["HighPriority"].target,
        config.classes["interactive"].target,
    ]
    assert [one.value for one in targets if one] == [50, 10, 40, 15]
    assert [str(one.type) for one in targets if one] == ["", "-", "+", "~"]
