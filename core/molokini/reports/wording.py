"""Why a job waits, in words: the rule that a policy has noted, with its limit and value."""

from dataclasses import dataclass

from molokini.model.decisions import Refusal, Rule
from molokini.model.instants import instant
from molokini.model.reservations import Reservation
from molokini.shared.introspection import PLAIN, PolicyReport
from molokini.tables.tables import NEVER

LIMITS = {
    Rule.OVER_SOFT_LIMIT: "the soft limit",
    Rule.OVER_HARD_LIMIT: "the hard limit",
    Rule.OVER_IDLE_LIMIT: "the limit of eligible jobs",
}
_OTHERS: dict[Rule, tuple[str, list[str]]] = {
    Rule.NEGATIVE_PRIORITY: (
        "its priority is below 0, and such jobs do not start (REJECTNEGPRIOJOBS)",
        ["a higher priority"],
    ),
    Rule.OVER_FAIRSHARE_CAP: ("one of its credentials has used more than its fairshare cap", ["time"]),
    Rule.ENOUGH_STARTED: (
        "this iteration has started as many jobs as one iteration may",
        ["the next iteration"],
    ),
}


def in_words(
    rule: Rule, limit: float, value: float, width: int, insight: PolicyReport = PLAIN
) -> tuple[str, list[str]]:
    """A rule that needs no look at nodes and reservations, in words, and what would help.

    *width* is the job's; *insight* is the policy's, which names its limits.
    """
    if rule is Rule.BEHIND_THE_HEAD:
        text = "it waits behind a job that cannot start, and no job overtakes another"
        return text, ["the start of the job at the head of the queue"]
    if rule is Rule.WOULD_DELAY_THE_HEAD:
        if limit >= NEVER:
            return "it would delay a job that has a reservation", []
        text = f"it would end at {instant(value)} and delay the queue's head, reserved for {instant(limit)}"
        return text, [f"an estimate that ends before {instant(limit)}"]
    if rule is Rule.RESERVED_LATER:
        return f"it has a reservation at {instant(limit)}", ["jobs that end before their estimates"]
    if rule is Rule.PARTITION_FULL:
        return "its partition is full", ["the end of running jobs in its partition"]
    if rule is Rule.WIDER_THAN_PARTITIONS:
        text = f"{width} processors are requested, {limit:g} are in service in one partition that it may use"
        return text, ["nodes that are added or come back up", "access to other partitions"]
    if rule is Rule.NO_PARTITION_FREE:
        text = f"{width} processors are requested, {limit:g} are free in one partition that it may use"
        return text, ["the end of running jobs", "access to other partitions"]
    if rule is Rule.OUTRANKED:
        return "jobs of a higher rank take the processors", ["a shorter estimate"]
    if rule in LIMITS:
        whose = insight.limit_name(int(limit))
        return f"{LIMITS[rule]} {whose} would be exceeded", [_ends(rule, whose)]
    if rule is Rule.CANNOT_DEBIT_ACCOUNT:
        return _unpaid(limit, value)
    if rule is Rule.DEFERRED:
        helps = ["the end of the deferral", "an operator's release"]
        return f"it is deferred until {instant(limit)}: {cause_of_deferral(value)}", helps
    if rule is Rule.SHARED_BY_ENOUGH:
        text = f"wherever it fits, {limit:g} medium or long jobs share processors already, which is the limit"
        return text, ["the end of running jobs of its class", "a shorter estimate"]
    if rule in _OTHERS:
        return _OTHERS[rule]
    return "the policy gives no reason; the next pass looks at the job again", []


_REFUSALS = {
    Refusal.WIDER_THAN_MACHINE: "the machine has fewer processors than the job asks for",
    Refusal.WIDER_THAN_PARTITION: "its partition has fewer processors than the job asks for",
    Refusal.NEVER_PLACEABLE: "the nodes that it may use could not hold it even if all were up and empty",
    Refusal.NEEDS_NODES: "it asks for nodes, memory or features, and the policy places no jobs on nodes",
    Refusal.DEADLINE_TOO_TIGHT: "no number of nodes could meet its deadline, even if all were free",
    Refusal.DEADLINE_NOT_GUARANTEED: "it, or a job admitted before it, could miss its deadline",
    Refusal.OVER_CEILING: "it asks for more than the limit for one job",
    Refusal.NOT_AT_ONCE: "it could not start at once, and it may not wait (NOQUEUE)",
    Refusal.TOO_NARROW: "it asks for fewer processors than the least allowed",
}


def refused_because(refusal: Refusal) -> str:
    """Why a job is refused."""
    return _REFUSALS[refusal]


def refusal_in_words(refusal: str, detail: str) -> str:
    """What the *refusal* of a job, by its name, means, with its limit if it has one."""
    text = refused_because(Refusal[refusal.upper()])
    return f"{text} ({detail})" if detail else text


_CAUSES = {
    Rule.CANNOT_DEBIT_ACCOUNT: "no account could pay for it",
    Rule.NOT_ENOUGH_FREE: "it asks for more processors than were in service",
    Rule.WIDER_THAN_PARTITIONS: "no partition that it may use had enough processors in service",
}


def cause_of_deferral(rule: float) -> str:
    """Why a job was deferred, as a sentence without its end; *rule* as a decision or a reason has it."""
    return _CAUSES.get(Rule(int(rule)), "it could not run")


def held_in_words(rule: float) -> str:
    """Why a job is held that was deferred too often, the last time for *rule*."""
    return f"deferred too often: {cause_of_deferral(rule)}"


@dataclass(frozen=True)
class Explanation:
    """Why a job waits: a sentence, what would help, and whether nothing else would."""

    text: str
    helps: list[str]
    never: bool = False
    """The job alone is more than a limit allows: the ends of other jobs do not help."""
    rule: Rule = Rule.NONE
    reservation: Reservation | None = None
    """The reservation for others that it would run into first, where its name is known."""
    nodes: tuple[str, ...] = ()
    """Nodes that it could use and that are down or draining, where these keep it from starting."""


def _ends(rule: Rule, label: str) -> str:
    """Which event, of the jobs that count in the limit called *label*, helps."""
    _, found, whose = label.partition("Per")
    whose = {"QOS": "QOS"}.get(whose, whose.lower()) if found else "pair of credentials"
    what = "the start of eligible jobs" if rule is Rule.OVER_IDLE_LIMIT else "the end of running jobs"
    return f"{what} of this {whose}"


def requested(processors: int) -> str:
    """How many processors a job asks for: ``8 processors are requested``."""
    return f"{processors} processor{'s are' if processors != 1 else ' is'} requested"


def with_verb(number: float) -> str:
    """A number with its verb: ``1 is``, ``3 are``."""
    return f"{number:g} {'is' if number == 1 else 'are'}"


def _unpaid(left: float, wanted: float) -> tuple[str, list[str]]:
    """No account can pay: the richest that may pay has *left* processor-seconds (-1: there is none)."""
    if left < 0:
        return (
            f"no account can pay its {wanted:.0f} processor-seconds",
            ["an account", "a FALLBACKACCOUNT"],
        )
    text = f"{wanted:.0f} processor-seconds are needed, its account has {left:.0f} beyond its liens"
    helps = [
        f"a deposit of {wanted - left:.0f} processor-seconds",
        "the end of jobs that the account pays for",
        f"fewer processors or a shorter estimate: {left:.0f} processor-seconds at most",
    ]
    return text, helps
