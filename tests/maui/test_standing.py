"""SRCFG as standing reservations of a machine: when, how much, where, and for whom."""

import pytest

from molokini.maui import check_text
from molokini.maui.standing import standing
from molokini.model.calendars import Period
from molokini.model.reservations import StandingReservation
from molokini.model.site import KnownNode, Misplaced

NODES = [KnownNode(f"node{k:03d}", 4, frozenset({"fast"} if k > 2 else {})) for k in range(1, 5)]


def made(*lines: str, counted: bool = False) -> list[StandingReservation]:
    config = check_text("\n".join(lines)).checked()
    return standing(config, 16, () if counted else NODES, zone_s=7.0)


def only(*lines: str, counted: bool = False) -> StandingReservation:
    [one] = made(*lines, counted=counted)
    return one


def hosts(*lines: str) -> dict[str, int]:
    return dict(only(*lines).terms.hosts)


def test_its_calendar_and_how_many_instances() -> None:
    one = only("SRCFG[a] DAYS=Mon,Fri STARTTIME=8:00:00 ENDTIME=17:00:00 DEPTH=5")
    assert sorted(one.calendar.days) == ["Fri", "Mon"]
    assert (one.calendar.start_s, one.calendar.end_s) == (28800, 61200)
    assert (one.depth, one.calendar.zone_s, one.calendar.period) == (5, 7.0, Period.DAY)
    week = only("SRCFG[a] PERIOD=WEEK STARTTIME=1:00:00:00").calendar
    assert (week.period, week.start_s, week.end_s) == (Period.WEEK, 86400, 604800)
    assert only("SRCFG[a] PERIOD=INFINITY").calendar.period is Period.INFINITY


def test_tasks_anywhere_are_counted_processors() -> None:
    one = only("SRCFG[a] TASKCOUNT=3 RESOURCES=PROCS:2")
    assert (one.processors, one.terms.hosts) == (6, {})
    assert only("SRCFG[a] TASKCOUNT=3", counted=True).processors == 3
    assert only("SRCFG[a] PERIOD=DAY", counted=True).processors == 16
    assert only("SRCFG[a] TASKCOUNT=99 RESOURCES=PROCS:2", counted=True).processors == 16, "what there is"


def test_hosts_are_taken_whole_or_by_tasks_in_their_order() -> None:
    assert hosts("SRCFG[a] HOSTLIST=node00[12]") == {"node001": 4, "node002": 4}
    assert hosts("SRCFG[a] HOSTLIST=node002,node001 RESOURCES=PROCS:3") == {"node002": 3, "node001": 3}
    assert hosts("SRCFG[a] HOSTLIST=node00[1-3] TASKCOUNT=3 RESOURCES=PROCS:2") == {
        "node001": 4,
        "node002": 2,
    }
    spread = "SRCFG[a] HOSTLIST=node00[1-3] TASKCOUNT=3 RESOURCES=PROCS:2 TPN=1"
    assert hosts(spread) == {"node001": 2, "node002": 2, "node003": 2}
    assert hosts("SRCFG[a] HOSTLIST=ALL") == dict.fromkeys(("node004", "node003", "node002", "node001"), 4)


def test_whole_nodes_anywhere_are_the_last_that_will_do() -> None:
    assert hosts("SRCFG[a] TASKCOUNT=1") == {"node004": 4}
    assert hosts("NODECFG[node002] FEATURES=big", "SRCFG[a] NODEFEATURES=big TASKCOUNT=1") == {"node002": 4}
    assert hosts("SRCFG[a] NODEFEATURES=fast") == {"node004": 4, "node003": 4}
    assert hosts("NODECFG[node001] PARTITION=old", "SRCFG[a] PARTITION=old TASKCOUNT=9") == {"node001": 4}


def test_who_has_access() -> None:
    one = only(
        "SRCFG[a] USERLIST=ann,!bob GROUPLIST=lab* CLASSLIST=batch- QOSLIST=low,none TIMELIMIT=1:00:00"
    )
    assert one.access == {
        "user": ("ann",),
        "queue": ("batch-",),
        "service": ("low", "none"),
        "duration": ("3600",),
    }
    assert (one.terms.denied, one.terms.required) == ({"user": ("bob",)}, {"group": ("lab",)})
    for text in ("TIMELIMIT=60*", "TIMELIMIT=60 TIMELOGIC=AND"):
        assert only(f"SRCFG[a] {text}").terms.required == {"duration": ("60",)}


def test_default_speaks_for_the_others_and_the_first_priority_is_served_first() -> None:
    lines = ("SRCFG[DEFAULT] DEPTH=3 USERLIST=ann", "SRCFG[a] DEPTH=1", "SRCFG[b] PRIORITY=2 ACCESS=SHARED")
    first, second = made(*lines)
    assert (first.name, first.depth, first.terms.shared) == ("b", 3, True)
    assert (second.name, second.depth, second.access) == ("a", 1, {"user": ("ann",)})


@pytest.mark.parametrize(
    ("line", "attribute"),
    [
        ("SRCFG[a] HOSTLIST=node009", "HOSTLIST"),
        ("SRCFG[a] HOSTLIST=node001,io.*", "HOSTLIST"),
        ("SRCFG[a] NODEFEATURES=gpu", "NODEFEATURES"),
        ("SRCFG[a] PARTITION=none", "PARTITION"),
        ("SRCFG[a] TASKCOUNT=1 RESOURCES=PROCS:5 TPN=1", "RESOURCES"),
    ],
)
def test_what_is_nowhere_is_refused(line: str, attribute: str) -> None:
    with pytest.raises(Misplaced) as error:
        made(line)
    assert error.value.attribute == attribute
    if attribute == "HOSTLIST":
        with pytest.raises(Misplaced, match="--nodes"):
            made(line, counted=True)


def test_signs_of_entries_stay_behind_their_names() -> None:
    one = only("SRCFG[a] USERLIST=ann+,bob-,cy*=,!eve- CLASSLIST=long=")
    assert one.access == {"user": ("ann", "bob-"), "queue": ("long=",)}
    assert (one.terms.required, one.terms.denied) == ({"user": ("cy=",)}, {"user": ("eve",)})
