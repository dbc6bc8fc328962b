"""``sprio``: the priorities of jobs that wait."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Job
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm import ids
from molokini.compat.slurm.filters import names, user
from molokini.compat.slurm.general import GENERAL, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    option("-h --noheader", text="without the header"),
    option("-j --jobs", "IDS", "only these jobs"),
    option("-l --long", text="with user, group and QOS"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("-o --format", "FORMAT", "columns by letters: %[.][width]letter"),
    option("-p --partition", "NAMES", "only jobs of these partitions"),
    option("-u --user", "NAMES", "only jobs of these users"),
    option("-w --weights", text="the weights of the parts, as the policy has them"),
    without_effect("-v --verbose", why="there are no further details"),
    without_effect("--federation", why="there is one cluster"),
    without_effect("--local", why="there is one cluster"),
    without_effect("--sibling", why="there is one cluster"),
    refused("-n --norm", why="the parts of a priority have no common scale"),
    refused("-S --sort", "LETTERS", "jobs come by their numbers"),
)
_FORMAT = "%.15i %9r %.10Y %.10S %.10A %.10F %.10J %.10P %.10Q %.11N"
_LONG = "%.15i %9r %.8u %.10Y %.10S %.10A %.10F %.10J %.10P %.10Q %.11N"
_PARTS = {"A": ("queue-time",), "J": ("processors", "nodes", "memory"), "P": ("class",), "Q": ("qos",)}
"""By letter, the subcomponents of the policy maui that Slurm's factors answer to."""


class _Line:
    __slots__ = ("job", "told")

    def __init__(self, job: Job, told: dict[str, Any]) -> None:
        self.job, self.told = job, told

    def part(self, *subcomponents: str, component: str = "") -> str:
        """What these parts give together."""
        found = sum(
            one.get("product", 0.0)
            for one in self.told.get("priority_parts", ())
            if one.get("subcomponent") in subcomponents or (component and one.get("component") == component)
        )
        return f"{found:.0f}"

    @property
    def priority(self) -> str:
        """Under a policy without priorities, what its user gave it."""
        if "priority" in self.told:
            return f"{self.told['priority']:.0f}"
        return str(self.job.user_priority)


_LETTERS = {
    "i": ("JOBID", lambda one: ids.shown(one.job)),
    "r": ("PARTITION", lambda one: one.job.queue),
    "u": ("USER", lambda one: one.job.user),
    "a": ("AGE", lambda one: one.part(*_PARTS["A"])),
    "A": ("AGE", lambda one: one.part(*_PARTS["A"])),
    "f": ("FAIRSHARE", lambda one: one.part(component="fairshare")),
    "F": ("FAIRSHARE", lambda one: one.part(component="fairshare")),
    "j": ("JOBSIZE", lambda one: one.part(component="resource")),
    "J": ("JOBSIZE", lambda one: one.part(component="resource")),
    "p": ("PARTITION", lambda one: one.part(*_PARTS["P"])),
    "P": ("PARTITION", lambda one: one.part(*_PARTS["P"])),
    "q": ("QOS", lambda one: one.part(*_PARTS["Q"])),
    "Q": ("QOS", lambda one: one.part(*_PARTS["Q"])),
    "S": ("SITE", lambda one: one.part(component="administrator")),
    "N": ("NICE", lambda one: str(-one.job.user_priority)),
    "y": ("PRIORITY", lambda one: one.priority),
    "Y": ("PRIORITY", lambda one: one.priority),
    **dict.fromkeys("bB", ("ASSOC", lambda one: "0")),
    **dict.fromkeys("tT", ("TRES", lambda one: "")),
    "c": ("CLUSTER", lambda one: ""),
    "s": ("SITE", lambda one: one.part(component="administrator")),
    "n": ("NICE", lambda one: str(-one.job.user_priority)),
    "o": ("ACCOUNT", lambda one: one.job.account),
}


def run(run: Invocation) -> int:
    """List the priorities of jobs that wait, and what they are made of."""
    given = given_to(run, OPTIONS)
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        check_clusters(run, given.one("clusters"))
    if given.flag("weights"):
        return _weights(run)
    from molokini.compat.columns import line
    from molokini.compat.listing import jobs
    from molokini.compat.slurm import formats

    text = (
        given.one("format") or run.variables.get("SPRIO_FORMAT") or (_LONG if given.flag("long") else _FORMAT)
    )
    prefix, columns = formats.lettered(
        text,
        _LETTERS,
        lambda name: run.complain(f"sprio: error: Invalid job format specification: {name}"),
    )
    try:
        numbers = [ref["id"] for ref in ids.refs(given.one("jobs"))]
    except ValueError as error:
        raise Failed(f"sprio: error: Invalid job id: {error}") from None
    asked: dict[str, Any] = {
        "job_ids": numbers,
        "users": [user(run, one) for one in names(given.one("user"))],
        "queues": names(given.one("partition")),
        "states": ["WAITING"],
    }
    if not given.flag("noheader"):
        run.say(prefix + line(columns, [column.header for column in columns]))
    for job in jobs(run, **asked):
        told = _Line(job, run.transport.call("JobService", "ExplainJob", {"id": job.id}))
        run.say(prefix + line(columns, [column.cell(told) for column in columns]))
    return 0


def _weights(run: Invocation) -> int:
    policy = run.transport.call("ClusterService", "GetPolicy", {})
    for name, value in sorted(policy.get("parameters", {}).items()):
        if "weight" in name.lower():
            run.say(f"{name}={value}")
    return 0
