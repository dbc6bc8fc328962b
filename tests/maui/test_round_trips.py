"""maui.cfg and TOML are two spellings of one model: whatever it holds comes back from both."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings

from molokini.maui import MauiConfig, check_text, read_config, toml, write_config, write_toml
from molokini.maui.access import Members
from molokini.maui.draft import Draft
from molokini.maui.findings import Status
from molokini.maui.grammar import parsed
from molokini.maui.interpreting import interpret
from molokini.policies.maui.configuration.words import Charge
from tests.kit.maui_configs import configs

EXAMPLE = Path(__file__).parents[2] / "examples" / "maui.cfg"

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


def from_lines(text: str) -> MauiConfig:
    """The model of a maui.cfg, whether its values go together or not."""
    draft = Draft()
    lines = [parsed(line, "maui.cfg", number) for number, line in enumerate(text.split("\n"), 1)]
    interpret([line for line in lines if line is not None], draft)
    assert [one.text for one in draft.findings if one.status == "refused"] == []
    return MauiConfig.model_validate(draft.values)


def from_toml(text: str) -> MauiConfig:
    """The model of a TOML text, whether its values go together or not."""
    draft = Draft()
    toml.interpret(text, "maui.toml", draft)
    assert [one.text for one in draft.findings if one.status == "refused"] == []
    return MauiConfig.model_validate(draft.values)


@given(configs())
@settings(deadline=None, max_examples=60)
def test_a_model_comes_back_from_maui_cfg(config: MauiConfig) -> None:
    text = write_config(config)
    assert from_lines(text) == config
    assert write_config(from_lines(text)) == text


@given(configs())
@settings(deadline=None, max_examples=60)
def test_a_model_comes_back_from_toml(config: MauiConfig) -> None:
    text = write_toml(config)
    assert from_toml(text) == config
    assert write_toml(from_toml(text)) == text


@given(configs())
@settings(deadline=None, max_examples=20)
def test_a_model_comes_back_from_json(config: MauiConfig) -> None:
    assert MauiConfig.model_validate(config.model_dump(exclude_unset=True)) == config


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


@pytest.mark.parametrize("write", [write_config, write_toml])
def test_the_example_comes_back(write: Callable[[MauiConfig], str], tmp_path: Path) -> None:
    config = read_config(EXAMPLE)
    path = tmp_path / ("maui.toml" if write is write_toml else "maui.cfg")
    path.write_text(write(config))
    assert read_config(path) == config
    assert {one.status for one in check_text(EXAMPLE.read_text()).findings} == {"understood"}


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


def test_lines_of_one_object_add_up_and_later_ones_count() -> None:
    report = check_text(
        "USERCFG[ann] MAXJOB=3 PRIORITY=1\nUSERCFG[ann] MAXJOB=4 MAXPROC[USER]=3 MAXPROC[USER]=5"
    )
    ann = report.checked().users["ann"]
    assert ann.running.jobs is not None
    assert (ann.running.jobs.hard, ann.priority, len(ann.pairs), ann.pairs[0].limit.hard) == (4, 1, 1, 5)
    assert [one.note for one in report.findings if one.note] == ["set again in line 2, which counts"] * 2


@pytest.mark.parametrize("write", [write_config, write_toml])
def test_no_partition_by_default_comes_back(write: Callable[[MauiConfig], str], tmp_path: Path) -> None:
    text = "SYSCFG[base] PLIST=\nGROUPCFG[ops] PLIST=DEFAULT\n"
    config = check_text(text).checked()
    assert config.system.partitions == Members(())
    path = tmp_path / ("maui.toml" if write is write_toml else "maui.cfg")
    path.write_text(write(config))
    assert read_config(path) == config
    assert check_text("SYSCFG[base] QLIST=").findings[0].cause.startswith("the value is missing")


def test_a_flag_of_mauis_own_example_is_passed_over_as_maui_does() -> None:
    [finding] = check_text("QOSCFG[hi] QFLAGS=PREEMPTOR:IGNMAXJOB").findings
    assert finding.status is not Status.REFUSED
    assert "nothing follows IGNMAXJOB" in f"{finding.cause} {finding.note}"
