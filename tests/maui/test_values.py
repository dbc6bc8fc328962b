"""Values of more than one part: each comes back as text and as TOML, and nothing else is one."""

from typing import Any

import pytest

from molokini.maui.kinds import Kind
from molokini.maui.limits import Target
from molokini.maui.times import Moment
from molokini.maui.values import (
    Availabilities,
    Availability,
    ComponentWeight,
    Day,
    Days,
    FairsharePolicy,
    FairshareRule,
    FairshareTarget,
    Instant,
    LimitAction,
    LimitPolicy,
    LongestOverlap,
    NodePriority,
    Resource,
    ResourceLimit,
    ResourceLimits,
    Resources,
    TaskResources,
    TimeLimit,
    Weight,
)
from molokini.policies.maui.configuration.words import Charge, NodeTerm, TargetKind

UTILIZED = Charge.UTILIZED_PROCESSOR_SECONDS
SLOWEST_FIRST = ((-1.0, NodeTerm.SPEED), (0.5, NodeTerm.AMEM))
VIEWS = ((Availability.DEDICATED, Resource.MEM), (Availability.COMBINED, Resource.ALL))
CANCELLED = ResourceLimit(Resource.MEM, LimitPolicy.ALWAYS, LimitAction.CANCEL, 60)


@pytest.mark.parametrize(
    ("kind", "text", "value", "written"),
    [
        (ComponentWeight(), "2.0", Weight(2), "2"),
        (ComponentWeight(), "20%", Weight(10, 20), "20%"),
        (FairshareTarget(), "10.0-", Target(10, TargetKind.CEILING), "10-"),
        (FairshareTarget(), "50", Target(50), "50"),
        (FairsharePolicy(), "on", FairshareRule(Charge.DEDICATED_PROCESSOR_SECONDS), "DEDICATEDPS"),
        (FairsharePolicy(), "PSUTILIZED%", FairshareRule(UTILIZED, True), "UTILIZEDPS%"),
        (FairsharePolicy(), "NONE%", FairshareRule(), "NONE"),
        (TaskResources(), "procs=2;MEM:512", Resources(2, 512), "PROCS:2,MEM:512"),
        (TaskResources(), "", Resources(), "PROCS:-1"),
        (NodePriority(), "-SPEED+ .5*AMEM", SLOWEST_FIRST, "-SPEED + 0.5*AMEM"),
        (Availabilities(), "dedicated:mem COMBINED", VIEWS, "DEDICATED:MEM COMBINED"),
        (ResourceLimits(), "mem:always:cancel:1:00", (CANCELLED,), "MEM:ALWAYS:CANCEL:00:01:00"),
        (Days(), "[Wed:monday]", (Day.MON, Day.WED), "Mon,Wed"),
        (Days(), "all", tuple(Day), "ALL"),
        (TimeLimit(), "1:00*", LongestOverlap(60, True), "00:01:00*"),
        (TimeLimit(), "-1", LongestOverlap(), "-1"),
        (Instant(), "+1:00:00", Moment(3600), str(Moment(3600))),
    ],
)
def test_a_value_comes_back_from_both(kind: Kind, text: str, value: Any, written: str) -> None:
    assert kind.read(text) == value
    assert kind.write(value) == written
    assert kind.read(written) == kind.take(kind.plain(value)) == kind.take(value) == value


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (ComponentWeight(), ("", "101%", "-1%", "x")),
        (FairshareTarget(), ("150", "50!", "")),
        (FairsharePolicy(), ("CPU", "%", "")),
        (TaskResources(), ("CATS:1", "MEM:-1", "PROCS")),
        (NodePriority(), ("", "SPEED + + AMEM", "SPEED AMEM", "2*", "CATS")),
        (Availabilities(), ("", "SOMETIMES", "COMBINED:CATS")),
        (ResourceLimits(), ("", "MEM:ALWAYS", "MEM:ALWAYS:SHOUT", "MEM:ALWAYS:CANCEL:soon")),
        (Days(), ("", "Funday", "Mo", "Mon,Funday")),
        (TimeLimit(), ("", "-2", "*", "soon")),
        (Instant(), ("", "noon", "25:00")),
    ],
)
def test_what_is_no_value_is_refused(kind: Kind, texts: tuple[str, ...]) -> None:
    for text in texts:
        with pytest.raises(ValueError):  # noqa: PT011 the cause is what the kind allows
            kind.read(text)
