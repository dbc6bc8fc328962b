"""Limits of eligible jobs: which flags of a QoS lift which of them."""

import pytest

from molokini.policies.maui.configuration.settings import MauiSettings, Qos
from molokini.policies.maui.configuration.words import LimitKind, QosFlag
from tests.core.policies.maui.selection.test_throttling import MINE, OPEN, QOSES, limited, line_of, running
from tests.kit.maui import at, maui
from tests.kit.workloads import Job

LINES = ("users", "groups", "accounts", "queues", "qos")
LIFTS: dict[QosFlag, tuple[str, ...]] = {
    QosFlag.IGNORE_QUEUED_PER_USER: ("users",),
    QosFlag.IGNORE_QUEUED_PER_GROUP: ("groups",),
    QosFlag.IGNORE_QUEUED_PER_ACCOUNT: ("accounts",),
    QosFlag.IGNORE_USER: ("users",),
    QosFlag.IGNORE_GROUP: ("groups",),
    QosFlag.IGNORE_ACCOUNT: ("accounts",),
    QosFlag.IGNORE_ALL: LINES,
}
"""Whose limits of eligible jobs a flag lifts; every other flag lifts none."""
IGNORING = [flag for flag in QosFlag if flag.name.startswith("IGNORE")]


def with_flag(flag: QosFlag, type_: str) -> MauiSettings:
    """One job of MINE's credential of this type is eligible at a time; MINE's QoS has *flag*."""
    flags = frozenset({flag})
    if type_ == "qos":
        return limited(type_, Qos(flags=flags, idle={LimitKind.JOBS: 1.0}))
    line = line_of(type_, idle={LimitKind.JOBS: 1.0})
    return limited(type_, line, qos={**QOSES, "high": Qos(flags=flags)})


@pytest.mark.parametrize("type_", LINES)
@pytest.mark.parametrize("flag", IGNORING)
def test_flags_that_lift_limits_of_eligible_jobs(flag: QosFlag, type_: str) -> None:
    """Two jobs fit at once; with the limit the second waits for the next iteration."""
    t = at(maui([Job(0, 10, 1), Job(0, 10, 1)], with_flag(flag, type_), [MINE] * 2), 0)
    assert running(t) == ([1, 2] if type_ in LIFTS.get(flag, ()) else [1])


@pytest.mark.parametrize("flag", [flag for flag, lines in LIFTS.items() if lines == ("users",)])
def test_flags_for_queued_jobs_lift_no_limit_of_what_they_take(flag: QosFlag) -> None:
    """IGNMAXJOBQUEUEDPERUSER is of their number alone; IGNUSER leaves what they take, too."""
    line = line_of("users", idle={LimitKind.PROCESSORS: 1.0})
    how = limited("users", line, qos={**QOSES, "high": Qos(flags=frozenset({flag}))})
    assert running(at(maui([Job(0, 10, 1), Job(0, 10, 1)], how, [MINE] * 2), 0)) == [1]


def test_an_override_alone_bounds_each_member_anew_at_each_iteration() -> None:
    """No line has a limit of its own: the second is eligible an iteration later, each time."""
    qos = {**QOSES, "high": Qos(idle_override={LimitKind.JOBS: 1.0})}
    jobs = [Job(at_s, 10, 1) for at_s in (0, 0, 100, 100)]
    replay = maui(jobs, MauiSettings(system=OPEN, qos=qos), [MINE] * 4)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 1, 100, 101]


def test_an_override_leaves_the_limit_of_its_own_qos_and_those_of_other_kinds() -> None:
    more = {LimitKind.JOBS: 3.0}
    for type_, idle in (("qos", {LimitKind.JOBS: 1.0}), ("users", {LimitKind.PROCESSORS: 1.0})):
        high = Qos(idle_override=more, idle=idle) if type_ == "qos" else Qos(idle_override=more)
        line = high if type_ == "qos" else line_of(type_, idle=idle)
        how = limited(type_, line, qos={**QOSES, "high": high})
        assert running(at(maui([Job(0, 10, 1), Job(0, 10, 1)], how, [MINE] * 2), 0)) == [1]
