"""Standing reservations (``SRCFG``)."""

import re
from typing import Annotated, Any

from molokini.maui.access import RESERVATION_FLAGS, Entries, Entry, Flags
from molokini.maui.fields import Count, Label, Labels, Line, Real, Seconds, Section, parameter
from molokini.maui.kinds import Names, Word
from molokini.maui.sections.reasons import BANK, FLAGS, PREEMPTION
from molokini.maui.values import Day, Days, LongestOverlap, Resources, TaskResources, TimeLimit


class Period(Word):
    """How often a reservation comes back."""

    DAY = "DAY"
    WEEK = "WEEK"
    INFINITY = "INFINITY"


class Sharing(Word):
    """Whether others may overlap a reservation."""

    DEDICATED = "DEDICATED"
    SHARED = "SHARED"


class Logic(Word):
    """How TIMELIMIT joins the other entries."""

    OR = "OR"
    AND = "AND"


def _host(text: str) -> str:
    if not text.isprintable() or len(text) > 1024 or set(text) & set(" ,\"'#"):
        raise ValueError
    return text


def _standing(name: str, default: Any, meaning: str, *aliases: str, without: str = "") -> Any:
    return parameter(name, default, meaning, aliases=aliases, without=without)


_Entries = Annotated[tuple[Entry, ...], Entries()]


class StandingReservation(Section):
    """A reservation that comes back every day or week."""

    period: Period = _standing("PERIOD", Period.DAY, "How often it comes back.")
    depth: Count = _standing("DEPTH", 2, "How many future instances there are at a time.")
    days: Annotated[tuple[Day, ...], Days()] = _standing(
        "DAYS", tuple(Day), "The days on which it is active, where its period is a day."
    )
    start_s: Seconds = _standing("STARTTIME", 0, "When in its day or week it begins.", "WSTARTTIME")
    end_s: Seconds | None = _standing(
        "ENDTIME", None, "When in its day or week it ends; where not given, with the period.", "WENDTIME"
    )
    task_count: Count = _standing("TASKCOUNT", 0, "How many tasks it has; 0 is one on each host.")
    resources: Annotated[Resources, TaskResources()] = _standing(
        "RESOURCES", Resources(), "The resources that one of its tasks takes of a node."
    )
    hosts: Annotated[tuple[str, ...], Names(re.compile(r"[\s,]+"), _host)] = _standing(
        "HOSTLIST", (), "The nodes that it may be on, by name or regular expression."
    )
    tasks_per_node: Count = _standing("TPN", 0, "Tasks on each node; 0 is as they come.")
    features: Labels = _standing("NODEFEATURES", (), "Features of its nodes.", "FEATURES")
    partition: Label | None = _standing("PARTITION", None, "The partition of its nodes.")
    users: _Entries = _standing("USERLIST", (), "Users who have access.")
    groups: _Entries = _standing("GROUPLIST", (), "Groups that have access.")
    accounts: _Entries = _standing("ACCOUNTLIST", (), "Accounts that have access.")
    classes: _Entries = _standing("CLASSLIST", (), "Classes that have access.")
    qos: _Entries = _standing("QOSLIST", (), "QOSes that have access.")
    job_attributes: _Entries = _standing(
        "JOBATTRLIST", (), "Attributes of jobs that have access.", without=FLAGS
    )
    time_limit: Annotated[LongestOverlap, TimeLimit()] = _standing(
        "TIMELIMIT", LongestOverlap(), "The longest that a job may overlap it; -1 is no bound.", "MAXTIME"
    )
    time_logic: Logic = _standing("TIMELOGIC", Logic.OR, "Whether TIMELIMIT must hold beside other access.")
    access: Sharing = _standing("ACCESS", Sharing.DEDICATED, "Whether other reservations may overlap it.")
    owner: Line | None = _standing("OWNER", None, "Its owner, as CREDTYPE:NAME.", without=PREEMPTION)
    charge_account: Label | None = _standing(
        "CHARGEACCOUNT", None, "The account that pays for its idle processors.", without=BANK
    )
    priority: Real = _standing("PRIORITY", 0.0, "Which of several is served first.")
    flags: Annotated[tuple[str, ...], Flags(RESERVATION_FLAGS)] = _standing(
        "FLAGS", (), "Its flags.", without="no such flag exists here"
    )
    trigger: Line | None = _standing(
        "TRIGGER",
        None,
        "What is done when it begins or ends.",
        without="nothing is done when one begins or ends",
    )

    @property
    def period_s(self) -> int | None:
        """Seconds after which it comes back; None where it does not."""
        return {Period.DAY: 86_400, Period.WEEK: 604_800, Period.INFINITY: None}[self.period]
