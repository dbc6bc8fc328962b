"""The one codec of journalled facts: canonical JSON, versioned, readable by every later release.

Canonical: keys sorted, no blanks, fields at their default left out, no NaN. The same fact always gives
the same bytes, so journals can be compared.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

from molokini.model import actors, facts
from molokini.model.canonical import text_of
from molokini.model.decisions import Refusal
from molokini.model.errors import MolokiniError
from molokini.model.facts import Cause, Ending, Fact, JobsSubmitted
from molokini.model.run_results import FIGURES, RunResult, known_of, read_result
from molokini.model.written_specs import WrittenSpec

KINDS: dict[str, type[Fact]] = {
    kind.__name__: kind
    for kind in vars(facts).values()
    if isinstance(kind, type) and issubclass(kind, Fact) and kind is not Fact
}
"""Every kind of fact by its name in the journal."""


def _as_it_is(body: dict[str, Any]) -> dict[str, Any]:
    """The next version only has more fields, whose defaults say what the body meant without them."""
    return body


def _with_origins(body: dict[str, Any]) -> dict[str, Any]:
    """Origins, which stood as texts like the names of users, are objects in the next version."""
    return {**body, "by": actors.written(actors.of_word(body["by"]))} if "by" in body else body


def _with_refusal(body: dict[str, Any]) -> dict[str, Any]:
    """A refusal, which stood as a sentence among the reasons, and its limit have fields of their own."""
    made = _with_origins(body)
    refusal, detail = refusal_of(body.get("reason", ""))
    if body["ending"] != Ending.REFUSED or not refusal:
        return made
    del made["reason"]
    return {**made, "refusal": refusal, **({"detail": detail} if detail else {})}


def refusal_of(reason: str) -> tuple[str, str]:
    """The refusal and its limit, which earlier versions had as one text; two empty ones: it is none."""
    name, _, detail = reason.partition(": ")
    refusal = name.replace(" ", "_")
    return (refusal, detail) if refusal in _REFUSALS else ("", "")


def _with_cause(body: dict[str, Any]) -> dict[str, Any]:
    """The cause of an end, which stood in its reason alone, has a field of its own."""
    cause = cause_of(body.get("ending", Ending.CANCELLED), body.get("reason", ""))
    return {**body, "cause": cause} if cause else body


def cause_of(ending: str, reason: str) -> str:
    """The cause that earlier versions, which had no such field, told in *reason*; empty: none."""
    if ending == Ending.FAILED and _OUT_OF_MEMORY in reason:
        return Cause.OUT_OF_MEMORY
    if ending == Ending.CANCELLED and reason.startswith(_ON_JOB) and reason.endswith(_NEVER_MET):
        return Cause.DEPENDENCY_NEVER_MET
    return Cause.AS_DONE if ending == Ending.CANCELLED and reason == _AS_DONE else ""


def canceller_of(reason: str, user: str) -> str:
    """By whom a job was cancelled, as earlier versions told it in *reason*; empty: by the system.

    Where it has a reason of its own, the *user* whose job it is counts as who gave it.
    """
    if not reason.startswith(_BY):
        never_met = cause_of(Ending.CANCELLED, reason) == Cause.DEPENDENCY_NEVER_MET
        return "" if never_met or not reason else user
    name = reason.removeprefix(_BY).partition(" ")[0].rstrip(":")
    return name if isinstance(actors.of_word(name), str) else ""


_AS_DONE, _BY = "ended as done (bkill -d)", "cancelled by "
_OUT_OF_MEMORY, _ON_JOB, _NEVER_MET = "out of memory: more than ", "dependency on job ", " can never be met"
_REFUSALS = frozenset(one.name.lower() for one in Refusal)
_ORIGINS_SINCE_2 = (
    "NodeDrained",
    "NodeLost",
    "NodeReturned",
    "QueueSet",
    "QueueRemoved",
    "ReservationMade",
    "ReservationReleased",
    "PolicySet",
    "JobAltered",
    "AccountBooked",
    "JobStopping",
    "CommandTaken",
)
_ORIGINS_SINCE_3 = ("JobHeld", "JobReleased", "JobSuspended", "JobResumed", "JobRequeued")
"""Kinds by the version from which on ``by`` may be an origin."""

UPGRADES: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("ServerStarted", 1): _as_it_is,
    ("ServerStarted", 2): _as_it_is,
    ("JobHeld", 1): _as_it_is,
    ("JobReleased", 1): _as_it_is,
    ("JobEnded", 1): _as_it_is,
    ("JobRequeued", 1): _as_it_is,
    ("NodesAdded", 1): _as_it_is,
    ("JobSuspended", 1): _as_it_is,
    ("JobSuspended", 3): _as_it_is,
    ("JobResumed", 1): _as_it_is,
    ("JobResumed", 3): _as_it_is,
    ("JobStarted", 1): _as_it_is,
    ("JobStarted", 2): _as_it_is,
    ("JobStarted", 3): _as_it_is,
    ("JobStarted", 4): _as_it_is,
    ("RowsSet", 1): _as_it_is,
    ("JobEnded", 2): _with_refusal,
    ("JobEnded", 3): _as_it_is,
    ("JobEnded", 4): _as_it_is,
    ("JobEnded", 5): _with_cause,
    ("JobStopping", 2): _with_cause,
    ("PartEnded", 1): _with_cause,
    ("JobRequeued", 3): _as_it_is,
    ("NodesAdded", 2): _as_it_is,
    **{(kind, 1): _with_origins for kind in _ORIGINS_SINCE_2},
    **{(kind, 2): _with_origins for kind in _ORIGINS_SINCE_3},
}
"""(kind, version) -> the function that turns a stored body into one of the next version."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal, as it is stored."""

    serial: int
    """From 1, without gaps, in the order in which things happened."""
    time_s: float
    kind: str
    version: int
    body: str
    """Canonical JSON."""


class UnreadableFact(MolokiniError):
    """A stored fact that this release cannot read."""

    def __init__(self, serial: int, cause: str) -> None:
        self.serial = serial
        super().__init__(f"journal entry {serial}: {cause}")


def _defaults(kind: type[Fact]) -> dict[str, Any]:
    found = {}
    for one in fields(kind):
        if one.default is not MISSING:
            found[one.name] = one.default
        elif one.default_factory is not MISSING:
            found[one.name] = one.default_factory()
    return found


_NAMES = {kind: tuple(one.name for one in fields(kind)) for kind in KINDS.values()}
_DEFAULTS = {kind: _defaults(kind) for kind in KINDS.values()}
_WITH_RESULT = frozenset(kind for kind, names in _NAMES.items() if "result" in names)
"""Kinds whose result lies open in their entries, figure by figure."""
_NEVER = object()


def encode(fact: Fact, serial: int, time_s: float) -> Entry:
    """*fact* as a line of the journal."""
    kind = type(fact)
    if kind is JobsSubmitted:
        return Entry(serial, time_s, kind.__name__, kind.VERSION, _submitted(fact))
    defaults = _DEFAULTS[kind]
    body = {
        name: value for name in _NAMES[kind] if (value := getattr(fact, name)) != defaults.get(name, _NEVER)
    }
    if "result" in body:
        body |= known_of(body.pop("result"))
    return Entry(serial, time_s, kind.__name__, kind.VERSION, text_of(body))


def _submitted(fact: Any) -> str:
    """Encode the most frequent fact, from texts that are known already; the bytes are canonical JSON."""
    specs = ",".join([spec.text for spec in fact.specs])
    return f'{{"first_id":{fact.first_id},"specs":[{specs}],"user":{text_of(fact.user)}}}'


def decode(entry: Entry) -> Fact:
    """The fact of a line; UnreadableFact where this release knows no such kind, version or field."""
    kind = KINDS.get(entry.kind)
    if kind is None:
        raise UnreadableFact(entry.serial, f"kind {entry.kind!r} is unknown to this release")
    if entry.version > kind.VERSION:
        raise UnreadableFact(
            entry.serial, f"{entry.kind} of version {entry.version} is newer than this release"
        )
    try:
        body = json.loads(entry.body)
        for version in range(entry.version, kind.VERSION):
            body = UPGRADES[entry.kind, version](body)
        if kind in _WITH_RESULT and not FIGURES.keys().isdisjoint(body):
            result = read_result(body)
            body = {name: value for name, value in body.items() if name not in FIGURES}
            body["result"] = result
        return kind(**{name: _thaw(kind, name, value) for name, value in body.items()})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UnreadableFact(entry.serial, f"{entry.kind} cannot be read: {error}") from None


def _thaw(kind: type[Fact], name: str, value: Any) -> Any:
    """Lists of JSON as the tuples that facts hold."""
    if name == "ending":
        return Ending(value)
    if name == "by":
        return actors.read(value)
    if name == "specs":
        return tuple(map(WrittenSpec, value))
    if isinstance(value, list):
        return tuple(tuple(part) if isinstance(part, list) else part for part in value)
    return value


def as_json(fact: Fact) -> Mapping[str, Any]:
    """*fact* with its kind, as an object for logs and listings."""
    made: dict[str, Any] = {"kind": type(fact).__name__}
    for name in _NAMES[type(fact)]:
        value = getattr(fact, name)
        made |= asdict(value) if isinstance(value, RunResult) else {name: value}
    return made
