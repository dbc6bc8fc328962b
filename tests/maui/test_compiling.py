"""From a configuration to the settings of the policy: each parameter has the effect that it claims."""

from typing import Any

import pytest

from molokini.maui import MauiConfig, check_text
from molokini.maui.access import Entries, Entry, Flags, Members
from molokini.maui.bank import allowed_accounts, bank_of, default_account
from molokini.maui.compiling import compiled
from molokini.maui.draft import Draft
from molokini.maui.limits import Limit, Target
from molokini.maui.parameters import OBJECT_TYPES, PAIRS, Parameter, every
from molokini.maui.standing import standing
from molokini.maui.values import Day, FairshareRule, LongestOverlap, Resources, Weight
from molokini.model.reservations import StandingReservation
from molokini.model.site import KnownNode
from molokini.policies.maui.configuration.configured import values_of
from molokini.policies.maui.configuration.settings import MauiSettings
from molokini.policies.maui.configuration.words import AccountOf, Charge, NodeTerm

SCALARS = [one for one in every() if one.subject not in OBJECT_TYPES]
ATTRIBUTES = [one for one in every() if one.subject in OBJECT_TYPES]


def name(parameter: Parameter) -> str:
    return f"{parameter.subject}.{parameter.name}"


def other(parameter: Parameter) -> Any:
    """A value that is not the default."""
    default, allowed = parameter.default, parameter.kind
    if isinstance(default, bool):
        return not default
    if isinstance(default, Weight):
        return Weight(default.value + 3)
    if isinstance(default, FairshareRule):
        return FairshareRule(Charge.UTILIZED_PROCESSOR_SECONDS)
    words = getattr(allowed, "words", None)
    if words is not None:
        return next(word for word in words.values() if word != default)
    if isinstance(default, int | float):
        return type(default)(1 if default == 0 else default / 2) if default >= 0 else 600
    if isinstance(allowed, Flags):
        return ("PREEMPTOR" if "PREEMPTOR" in allowed.known else next(iter(allowed.known)),)
    kind = type(allowed).__name__
    samples = {
        "Limits": Limit(2, 3),
        "HardLimit": Limit(3, 3),
        "FairshareTarget": Target(7),
        "MemberList": Members(("high",)),
        "Names": ("high",),
        "Name": "high",
        "Whole": 3,
        "Amount": 3,
        "Number": 3.0,
        "Duration": 60,
        "NodePriority": ((2.0, NodeTerm.SPEED),),
    }
    return samples[kind]


def banked(parameter: Parameter, value: Any) -> object:
    """The bank, and the accounts of jobs of x, where *parameter* of x has *value*, or says nothing."""
    draft = Draft()
    bank = "x" if parameter.subject == "AMCFG" else "bank"
    if parameter.name != "TYPE" or value is not None:
        draft.set(("banks", bank, "type"), "FILE")
    if value is not None and parameter.name != "TYPE":
        draft.set((*OBJECT_TYPES[parameter.subject].path("x"), *parameter.path), value)
    config = MauiConfig.model_validate(draft.values)
    return (
        bank_of(config),
        default_account(config, "x", "x", "x", AccountOf.NOBODY),
        allowed_accounts(config, "x", "x", "x"),
    )


def settings(path: tuple[str, ...], value: Any) -> MauiSettings:
    draft = Draft()
    draft.set(path, value)
    return compiled(MauiConfig.model_validate(draft.values))


OF_THE_REPLAY = ("simulation", "daemon")
"""What these say with effect shapes a replay, not the policy: tests/clients shows it."""


@pytest.mark.parametrize(
    "parameter", [one for one in SCALARS if not one.without and one.path[0] not in OF_THE_REPLAY], ids=name
)
def test_a_parameter_with_effect_changes_the_policy(parameter: Parameter) -> None:
    path = (*parameter.path, "0") if parameter.array else parameter.path
    assert settings(path, other(parameter)) != compiled(MauiConfig())


@pytest.mark.parametrize("parameter", [one for one in ATTRIBUTES if not one.without], ids=name)
def test_an_attribute_with_effect_changes_the_policy(parameter: Parameter) -> None:
    type_ = OBJECT_TYPES[parameter.subject]
    nothing = Draft()
    nothing.set(type_.path("x"), {})
    if parameter.subject == "SRCFG":
        assert reserved(parameter, other_of_standing(parameter)) != reserved(parameter, None)
        return
    if parameter.name in ("ADEF", "ALIST", "ALLOCATION") or parameter.subject == "AMCFG":
        assert banked(parameter, other(parameter)) != banked(parameter, None)
        return
    changed = settings((*type_.path("x"), *parameter.path), other(parameter))
    assert changed != compiled(MauiConfig.model_validate(nothing.values))


def reserved(parameter: Parameter, value: Any) -> list[StandingReservation]:
    """The standing reservation ``x`` where *parameter* has *value*, beside another that comes later."""
    draft = Draft()
    draft.set(("standing", "w"), {})
    draft.set(("standing", "x"), {})
    if value is not None:
        draft.set(("standing", "x", *parameter.path), value)
    if parameter.name in ("TIMELOGIC", "TPN"):
        beside = {"TIMELOGIC": ("time_limit", LongestOverlap(60)), "TPN": ("resources", Resources(1))}
        draft.set(("standing", "x", beside[parameter.name][0]), beside[parameter.name][1])
    nodes = [KnownNode("n1", 4, partition="p"), KnownNode("n2", 4, frozenset({"high"}), partition="high")]
    return standing(MauiConfig.model_validate(draft.values), 8, nodes)


def other_of_standing(parameter: Parameter) -> Any:
    samples: dict[str, Any] = {
        "DAYS": (Day.MON,),
        "RESOURCES": Resources(2),
        "HOSTLIST": ("n1",),
        "TPN": 3,
        "TIMELIMIT": LongestOverlap(60),
        "ENDTIME": 60,
    }
    if isinstance(parameter.kind, Entries):
        return (Entry("ann"),)
    return samples[parameter.name] if parameter.name in samples else other(parameter)


def known_other(parameter: Parameter) -> bool:
    """Whether ``other`` knows values of this kind."""
    try:
        other(parameter)
    except KeyError:
        return False
    return True


IDLE = [one for one in SCALARS if one.without and known_other(one)]


@pytest.mark.parametrize("parameter", IDLE, ids=name)
def test_a_parameter_without_effect_changes_nothing(parameter: Parameter) -> None:
    assert len(IDLE) > 60
    path = (*parameter.path, "0") if parameter.array else parameter.path
    assert settings(path, other(parameter)) == compiled(MauiConfig())


def test_pairs_have_an_effect() -> None:
    assert len(PAIRS) == 7
    config = check_text("CLASSCFG[long] MAXPROC[USER]=32 MAXWC[GROUP:lab]=1:00:00").checked()
    (first, second) = compiled(config).queues["long"].pairs
    assert (first.kind.name, first.type.name, first.limit.hard, first.name) == ("PROCESSORS", "USER", 32, "")
    assert (second.kind.name, second.type.name, second.limit.hard, second.name) == (
        "WALL_TIME",
        "GROUP",
        3600,
        "lab",
    )


def test_nothing_said_is_what_the_policy_does_by_itself() -> None:
    made = values_of(compiled(MauiConfig()))
    by_itself = values_of(MauiSettings())
    # A maui.cfg that says nothing is polled each minute, and takes the last node that is available.
    for other in ("poll_s", "next_iteration_s", "node_allocation"):
        assert made.pop(other) != by_itself.pop(other)
    assert made == by_itself


def test_a_qos_that_is_only_named_exists() -> None:
    buckets = "RESERVATIONQOSLIST[0] a,DEFAULT\nRESERVATIONQOSLIST[1] ALL\n"
    report = check_text(buckets + "QOSCFG[c] PRIORITY=5\nUSERCFG[ann] QLIST=b QDEF=c")
    found = compiled(report.checked()).qos
    assert {name: one.priority for name, one in found.items()} == {"a": 0, "b": 0, "c": 5}
    notes = [one.note for one in report.findings if one.note]
    assert notes == [f"no other line defines QOS {name!r} is" for name in "ab"]


def test_buckets_are_those_that_are_named() -> None:
    config = check_text("RESERVATIONDEPTH[1] 8\nRESERVATIONQOSLIST[1] a,b\nRESERVATIONDEPTH[3] 2").checked()
    buckets = compiled(config).buckets
    assert [(one.depth, one.qos) for one in buckets] == [(8, ("a", "b")), (2, ())]
