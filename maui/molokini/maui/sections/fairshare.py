"""Fairshare (Jackson, Snell and Clement 2001, section 6)."""

from typing import Annotated

from molokini.maui.fields import Line, Section, Yes, parameter
from molokini.maui.kinds import Duration, Number, Whole
from molokini.maui.values import FairsharePolicy, FairshareRule


class _Interval(Duration):
    """A duration that is not nothing."""

    allowed = "a time [[[DD:]HH:]MM:]SS above 0"

    def __init__(self) -> None:
        self.least = 1


class Fairshare(Section):
    """What usage is, and for how long it counts."""

    policy: Annotated[FairshareRule, FairsharePolicy()] = parameter(
        "FSPOLICY",
        FairshareRule(),
        "What usage is measured in; with % behind it deltas are ratios; NONE is no fairshare.",
    )
    interval_s: Annotated[int, _Interval()] = parameter(
        "FSINTERVAL", 86_400, "The length of one window of usage."
    )
    depth: Annotated[int, Whole(1, 32)] = parameter(
        "FSDEPTH", 7, "Windows of usage that count, the present one included."
    )
    decay: Annotated[float, Number(0, 1)] = parameter(
        "FSDECAY", 1.0, "Factor by which usage loses weight for each window that it is older."
    )
    enforcement: Line = parameter(
        "FSENFORCEMENT",
        "OFF",
        "The style in which fairshare is enforced.",
        without="caps and priorities are enforced, as published",
    )
    secondary_groups: Yes = parameter(
        "FSSECONDARYGROUPS",
        False,
        "Charge usage to the user's secondary groups, too.",
        without="a job has one group",
    )
    machine_speed: Yes = parameter(
        "USEMACHINESPEEDFORFS", False, "Charge by the speed of nodes.", without="all nodes are equally fast"
    )
