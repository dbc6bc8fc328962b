"""Maui configurations for hypothesis: values of every kind, and models of any of the parameters."""

from typing import Any

from hypothesis import strategies as st

from molokini.maui import MauiConfig, access, kinds, values
from molokini.maui.draft import Draft
from molokini.maui.limits import Limit, Target
from molokini.maui.parameters import OBJECT_TYPES, PAIRS, ObjectType, Parameter, every
from molokini.maui.sections.credentials import PairLimit
from molokini.maui.times import INFINITY_S, Moment
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.words import Charge, ListRule, NodeTerm, TargetKind

NAMES = st.from_regex(r"[A-Za-z0-9_.@/é-]{0,8}[a-z0-9]", fullmatch=True)
IDS = NAMES | st.sampled_from(["DEFAULT", "RM:base", "two:parts", "日本"])
_NAME_TUPLES = st.lists(NAMES, min_size=1, max_size=4, unique=True).map(tuple)
_SECONDS = st.integers(0, INFINITY_S)


def _numbers(kind: kinds.Number) -> st.SearchStrategy[float]:
    return st.floats(kind.least, kind.most, allow_nan=False).map(lambda one: one + 0.0)


def _limits(kind: kinds.Limits) -> st.SearchStrategy[Limit]:
    def limit(parts: tuple[Any, Any]) -> Limit:
        soft, hard = sorted(parts)
        return Limit(hard if not soft or isinstance(kind, kinds.HardLimit) else soft, hard)

    number = kind.number
    one = st.integers(0, 10**6) if isinstance(number, kinds.Whole) else value_of(number)
    return st.tuples(one, one).map(limit)


def _flags(kind: access.Flags) -> st.SearchStrategy[tuple[str, ...]]:
    flag = st.sampled_from(list(kind.known))
    if kind.taking:
        flag |= st.builds(lambda taker, name: f"{taker}:{name}", st.sampled_from(list(kind.taking)), NAMES)
    return st.lists(flag, min_size=1, max_size=4, unique=True).map(tuple)


_TEXTS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=30)
_ENTRIES = st.builds(
    access.Entry, NAMES, st.sampled_from(access.Affinity), required=st.booleans(), denied=st.booleans()
)
_LIMIT = st.builds(
    values.ResourceLimit,
    st.sampled_from(values.Resource),
    st.sampled_from(values.LimitPolicy),
    st.sampled_from(values.LimitAction),
    _SECONDS,
)
_MADE: dict[type, Any] = {
    kinds.Number: _numbers,
    kinds.Whole: lambda kind: st.integers(kind.least, kind.most),
    kinds.Flag: st.booleans(),
    kinds.Duration: lambda kind: st.integers(kind.least, INFINITY_S),
    kinds.Text: _TEXTS.filter(lambda one: one.isprintable() and not {'"', "'"} <= set(one)),
    kinds.Name: NAMES,
    kinds.Names: _NAME_TUPLES,
    kinds.Choice: lambda kind: st.sampled_from(list(kind.words.values())),
    kinds.Limits: _limits,
    access.Entries: st.lists(_ENTRIES, min_size=1, max_size=4).map(tuple),
    access.MemberList: st.builds(access.Members, _NAME_TUPLES, st.sampled_from(ListRule)),
    access.Flags: _flags,
    values.ComponentWeight: st.builds(values.Weight, st.integers(-100, 100).map(float))
    | st.builds(values.Weight, st.just(10.0), st.integers(0, 100).map(float)),
    values.FairshareTarget: st.builds(Target, st.integers(0, 100).map(float), st.sampled_from(TargetKind)),
    values.FairsharePolicy: st.builds(
        values.FairshareRule,
        st.sampled_from([one for one in Charge if one is not Charge.NONE]),
        st.booleans(),
    ),
    values.TaskResources: st.builds(values.Resources, st.integers(-1, 64), *[st.integers(0, 9)] * 3),
    values.NodePriority: st.lists(
        st.tuples(st.sampled_from([1.0, -1.0, 0.5, -20.0]), st.sampled_from(NodeTerm)),
        min_size=1,
        max_size=4,
    ).map(tuple),
    values.Availabilities: st.lists(
        st.tuples(st.sampled_from(values.Availability), st.sampled_from(values.Resource)),
        min_size=1,
        max_size=3,
    ).map(tuple),
    values.ResourceLimits: st.lists(_LIMIT, min_size=1, max_size=3).map(tuple),
    values.Days: st.sets(st.sampled_from(values.Day), min_size=1).map(
        lambda some: tuple(day for day in values.Day if day in some)
    ),
    values.TimeLimit: st.builds(values.LongestOverlap, st.integers(-1, INFINITY_S), st.booleans()),
    values.Instant: st.builds(Moment, _SECONDS)
    | st.builds(Moment, st.none(), *[st.integers(0, 23)] * 3, st.integers(1, 12), st.integers(1, 28)),
}
"""Values by kind; that of a subclass is that of its nearest base here."""


def value_of(kind: kinds.Kind) -> st.SearchStrategy[Any]:
    """Values that *kind* allows."""
    made = next(_MADE[base] for base in type(kind).__mro__ if base in _MADE)
    found: st.SearchStrategy[Any] = made if isinstance(made, st.SearchStrategy) else made(kind)
    return found


def _scalar(parameter: Parameter) -> st.SearchStrategy[Any]:
    index = st.integers(0, 7).map(str) if parameter.subject == "reservations" else NAMES
    path = (
        st.builds(lambda one: (*parameter.path, one), index) if parameter.array else st.just(parameter.path)
    )
    put = st.tuples(path, value_of(parameter.kind))
    if parameter.by_partition:
        place = st.builds(lambda one: ("priority", "by_partition", one, parameter.path[-1]), NAMES)
        put |= st.tuples(place.filter(lambda one: one[2] != "0"), st.integers(0, 9).map(float))
    return put


def _attribute(type_: ObjectType, parameter: Parameter) -> st.SearchStrategy[Any]:
    path = st.builds(lambda id_: (*type_.path(id_), *parameter.path), IDS)
    return st.tuples(path, value_of(parameter.kind))


def _pairs(type_: ObjectType) -> st.SearchStrategy[Any]:
    def pair(counted: Any, whose: CredentialType, name: str, limit: int) -> PairLimit:
        return PairLimit(counted=counted, whose=whose, name=name, limit=Limit(limit, limit))

    one = st.builds(
        pair,
        st.sampled_from(list(PAIRS)),
        st.sampled_from(CredentialType),
        NAMES | st.just(""),
        st.integers(0, 9),
    )
    some = st.lists(one, min_size=1, max_size=3, unique_by=lambda made: made.key).map(tuple)
    return st.tuples(st.builds(lambda id_: (*type_.path(id_), "pairs"), IDS), some)


_PUTS = [
    *(_scalar(one) for one in every() if one.subject not in OBJECT_TYPES),
    *(
        _attribute(type_, one)
        for type_ in OBJECT_TYPES.values()
        for name, one in type_.attributes.items()
        if name == one.name
    ),
    *(_pairs(type_) for type_ in OBJECT_TYPES.values() if type_.pairs),
]
"""For each parameter: a place, and a value."""


@st.composite
def configs(draw: st.DrawFn) -> MauiConfig:
    """Models in which any parameters have any values; they need not go together."""
    draft = Draft()
    for at in draw(st.lists(st.integers(0, len(_PUTS) - 1), max_size=12)):
        path, value = draw(_PUTS[at])
        draft.set(path, value)
    return MauiConfig.model_validate(draft.values)
